// Builds the native library. Steps and options of zig/build.zig may follow:
//   deno run -A scripts/build.ts              the library
//   bun scripts/build.ts test -Disa=avx2      the Zig tests
// Nothing here decides what is stale: a build that finds nothing to do takes Zig about 0.3 s.
import { join } from "node:path";
import { fail, root, run } from "./process.ts";
import { findZig } from "./zig.ts";

/** Runs `zig build` with the arguments given and ends the script when it fails. */
export async function build(args: string[] = []): Promise<void> {
  const zig = await findZig();
  // On standard error, because the program that follows may print something that another reads.
  const { code } = await run([...zig, "build", ...args], { cwd: join(root, "zig"), output: "stderr" });
  if (code !== 0) {
    fail(
      `\`zig build${args.map((arg) => ` ${arg}`).join("")}\` failed: the messages above say where. ` +
        `If no file of zig/ was changed, delete zig/.zig-cache and build again.`,
    );
  }
}

if (import.meta.main) await build(process.argv.slice(2));
