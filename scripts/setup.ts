// What the examples need before they start: the development packages (the text they train on is one) and the library.
import { build } from "./build.ts";
import { ensurePackages } from "./runtimes.ts";

await ensurePackages();
await build();
