// Finds the pinned Zig, or installs it into a private folder, and runs it with the arguments given:
//   deno run -A scripts/zig.ts fmt zig        bun scripts/zig.ts version
import { join } from "node:path";
import { fail, run } from "./process.ts";
import { pip } from "./python.ts";
import { installed, toolFolder } from "./tools.ts";
import { zigRequirements, zigVersion } from "./versions.ts";

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
  await installed(folder, fillWithZig).catch(fail);
  if (await version(zig) === zigVersion) return zig;
  fail(`Zig does not run from ${folder}. Delete that folder and try again, or: ${byHand}`);
}

async function fillWithZig(folder: string): Promise<void> {
  let python: string[] | undefined;
  for (const candidate of pythons) {
    if ((await run([...candidate, "-m", "pip", "--version"], { output: "keep" })).code === 0) {
      python = candidate;
      break;
    }
  }
  if (python === undefined) {
    throw new Error(
      `The library is built with Zig ${zigVersion}, which is not here, and no Python 3 with pip is here to bring it. ${byHand}`,
    );
  }
  console.error(`Installing Zig ${zigVersion} into ${toolFolder()} (once, about 400 MB) …`);
  const { code, text } = await run(pip(python, zigRequirements, "install", folder), { output: "keep" });
  if (code !== 0) {
    throw new Error(
      `${text.trim()}\n\npip could not install ziglang==${zigVersion}. Check the network and its proxy and try again, or: ${byHand}`,
    );
  }
}

if (import.meta.main) {
  const { code } = await run([...await findZig(), ...process.argv.slice(2)]);
  process.exit(code);
}
