// The TypeScript compiler of node_modules.
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fail, root } from "./process.ts";

/** npm's typescript 7 is a native program in a package of its own; its script in node_modules/.bin would need Node. */
export function compiler(): string {
  const file = process.platform === "win32" ? "tsc.exe" : "tsc";
  const path = join(root, "node_modules", "@typescript", `typescript-${process.platform}-${process.arch}`, "lib", file);
  if (!existsSync(path)) fail(`${path} is not there. Run \`npm install\` first.`);
  return path;
}
