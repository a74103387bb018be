// The tools that build packages and install them: pinned in scripts/delivery, and installed beside the other tools, outside the repository.
import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root, run } from "../process.ts";
import { installed, toolFolder } from "../tools.ts";

const pinned = join(root, "scripts", "delivery");

/** The folder in whose node_modules they are. */
export function deliveryTools(): Promise<string> {
  const lock = createHash("sha256").update(readFileSync(join(pinned, "package-lock.json"))).digest("hex").slice(0, 12);
  return installed(join(toolFolder(), `delivery-${lock}`), async (fresh) => {
    console.error(`Installing esbuild, rollup, pnpm and Verdaccio into ${toolFolder()} (once, about 100 MB) …`);
    cpSync(pinned, fresh, { recursive: true });
    const { code, text } = await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: fresh, output: "keep" });
    if (code !== 0) throw new Error(`${text.trim()}\n\n\`npm ci\` failed: this needs npm and its registry.`);
  }).catch(fail);
}

/** The command that runs one of them, by Node. */
export async function deliveryTool(name: string): Promise<string[]> {
  const folder = join(await deliveryTools(), "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: string | Record<string, string> };
  return ["node", join(folder, typeof bin === "string" ? bin : bin[name]!)];
}
