// Builds the fuzzer of the C boundary, zig/fuzz.zig, and runs it with the arguments given:
//   deno task fuzz --calls 10000000 --seed 7     a run; --seconds N in place of --calls, --jobs N processes at once
//   deno task fuzz --seed 7 --only 123456        makes the one call again
import { join } from "node:path";
import process from "node:process";
import { build } from "./build.ts";
import { root, run } from "./process.ts";

await build(["fuzz"]);
const { code } = await run([join(root, "zig", "zig-out", "bin", "fuzz"), ...process.argv.slice(2)], { output: "inherit" });
process.exit(code);
