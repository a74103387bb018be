// Makes the folder that is published to JSR, out/jsr: the sources, but for the module that finds the library, which is a package of npm, as the library is.
//   deno run -A scripts/delivery/jsr.ts && (cd out/jsr && deno publish)
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../process.ts";

/** Where it is made. */
export const jsrFolder: string = join(root, "out", "jsr");

/** Makes it. */
export function buildJsr(): void {
  rmSync(jsrFolder, { recursive: true, force: true });
  const config = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));
  const { name, version, license, exports, publish } = config as {
    name: string;
    version: string;
    license: string;
    exports: unknown;
    publish: { include: string[] };
  };
  const include = publish.include.filter((part) => part !== "native/" && part !== "deno.json");
  for (const part of include) cpSync(join(root, part), join(jsrFolder, part), { recursive: true });
  const native = `npm:@tilework/native@${version}`;
  for (const path of files(join(jsrFolder, "ffi"))) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"../native/mod.ts"', JSON.stringify(native)));
  }
  writeFileSync(
    join(jsrFolder, "deno.json"),
    JSON.stringify({ name, version, license, exports, publish: { include: [...include, "deno.json"] } }, null, 2) + "\n",
  );
}

function files(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name)).flatMap((path) => statSync(path).isDirectory() ? files(path) : [path]);
}

if (import.meta.main) {
  buildJsr();
  console.log(jsrFolder);
}
