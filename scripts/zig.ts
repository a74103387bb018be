// Finds the pinned Zig, or installs it into a private folder, and runs it with the arguments given:
//   deno run -A scripts/zig.ts fmt zig        bun scripts/zig.ts version
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fail, run } from "./process.ts";
import { zigVersion } from "./versions.ts";

/** Where this project keeps the tools that it installs; outside the repository, so that every clone shares them. */
export function toolFolder(): string {
  const { TILEWORK_CACHE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (TILEWORK_CACHE) return TILEWORK_CACHE;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "tilework");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "tilework");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "tilework");
}

const byHand = `Install Zig ${zigVersion} yourself (\`python3 -m pip install ziglang==${zigVersion}\` is one way) and ` +
  `set TILEWORK_ZIG to the path of its \`zig\`.`;

async function version(command: string[]): Promise<string | undefined> {
  const { code, text } = await run([...command, "version"], { output: "keep" });
  return code === 0 ? text.trim() : undefined;
}

const pythons = process.platform === "win32" ? [["python"], ["py", "-3"]] : [["python3"], ["python"]];

/** The command that runs Zig 0.17.1, looked for in TILEWORK_ZIG, on PATH, in Python's packages and in the private folder, else installed there. */
export async function findZig(): Promise<string[]> {
  const asked = process.env.TILEWORK_ZIG;
  if (asked) {
    const found = await version([asked]);
    if (found === zigVersion) return [asked];
    fail(
      found === undefined
        ? `TILEWORK_ZIG is ${asked}, which does not run. Set it to the path of \`zig\` ${zigVersion}, or unset it to have that version installed.`
        : `TILEWORK_ZIG is ${asked}, which is Zig ${found}. This project needs ${zigVersion}: point TILEWORK_ZIG there, or unset it.`,
    );
  }

  if (await version(["zig"]) === zigVersion) return ["zig"];
  for (const python of pythons) {
    const wheel = [...python, "-m", "ziglang"];
    if (await version(wheel) === zigVersion) return wheel;
  }

  const folder = join(toolFolder(), `zig-${zigVersion}`);
  const zig = [join(folder, "ziglang", process.platform === "win32" ? "zig.exe" : "zig")];
  if (existsSync(zig[0])) {
    if (await version(zig) === zigVersion) return zig;
    rmSync(folder, { recursive: true, force: true });
  }
  await installZig(folder);
  if (await version(zig) === zigVersion) return zig;
  fail(`Zig was installed into ${folder} but does not run there. Delete that folder and try again, or: ${byHand}`);
}

/** Installs the wheel beside its place and moves it there, so that two builds at once do not meet half a compiler. */
async function installZig(folder: string): Promise<void> {
  let python: string[] | undefined;
  for (const candidate of pythons) {
    if ((await run([...candidate, "-m", "pip", "--version"], { output: "keep" })).code === 0) {
      python = candidate;
      break;
    }
  }
  if (python === undefined) {
    fail(`The library is built with Zig ${zigVersion}, which is not here, and there is no Python 3 with pip to install it with. ${byHand}`);
  }

  console.error(`Installing Zig ${zigVersion} into ${folder} (once, about 400 MB) …`);
  let fresh: string;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    fresh = mkdtempSync(`${folder}.part-`);
  } catch (error) {
    fail(`Cannot write into ${dirname(folder)} (${error}). Set TILEWORK_CACHE to a folder that can be written.`);
  }
  const pip = [...python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const { code, text } = await run([...pip, "--no-deps", "--target", fresh, `ziglang==${zigVersion}`], { output: "keep" });
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    fail(
      `${text.trim()}\n\npip could not install ziglang==${zigVersion}. Check the network and the proxy settings and try again, or: ${byHand}`,
    );
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another build was first: its copy is as good.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) fail(`Cannot move the new Zig to ${folder} (${error}). Set TILEWORK_CACHE to a folder that can be written.`);
  }
}

if (import.meta.main) {
  const { code } = await run([...await findZig(), ...process.argv.slice(2)]);
  process.exit(code);
}
