// How the library is found and opened, and what is said where it cannot be (C35).
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import type { BunFfi } from "../ffi/open_bun.ts";
import type { DenoApi } from "../ffi/open_deno.ts";
import { isAvailable, LibraryNotFoundError } from "../mod.ts";
import { assertEndedWell, child, childJson, exists, libraryPath, run, runtime } from "./child.ts";

const folder = await mkdtemp(join(tmpdir(), "tilework-library-"));
after(() => rm(folder, { recursive: true, force: true }));

const notLinux = process.platform === "linux" ? false : "takes apart an ELF file";
const notDeno = runtime === "deno" ? false : "only Deno has permissions";

test("what the loader expects of each runtime is what that runtime's own types say", () => {
  // Only the compiler looks at these; Deno's takes everything of Bun as `any`.
  const fits: [typeof import("bun:ffi") extends BunFfi ? true : false, typeof Deno extends DenoApi ? true : false] = [true, true];
  assert.deepEqual(fits, [true, true]);
});

/** Tells what everything that needs the library throws, once importing it has not. */
const failing = `
  import { cpu, cpuDevice, isAvailable, LibraryNotFoundError, memory, tensor, trim, zeros } from "tilework";
  const uses = {
    tensor: () => tensor(cpu, [1], [1]), zeros: () => zeros(cpu, [1]), cpuDevice: () => cpuDevice(), memory, trim, describe: () => cpu.describe(),
  };
  const available = isAvailable();
  const errors = {};
  for (const [name, use] of Object.entries(uses)) {
    try {
      use();
      errors[name] = "nothing was thrown";
    } catch (error) {
      errors[name] = error instanceof LibraryNotFoundError && error instanceof Error && error.name === "LibraryNotFoundError" ? error.message : String(error);
    }
  }
  console.log(JSON.stringify({ available, errors }));`;

/** A small program that uses tensors, a parallel product and errors. */
const working = `
  import { cpu, cpuDevice, isAvailable, matmul, memory, ones, tensor, trim } from "tilework";
  const d = cpuDevice({ threads: 4, tuning: { cores: 4, parallelThreshold: 0 } });
  using a = ones(d, [128, 128]);
  using c = matmul(a, a);
  let error = "";
  try { tensor(cpu, [2], [1]); } catch (e) { error = e.message; }
  trim();
  console.log(JSON.stringify([isAvailable(), c.readSync().every((v) => v === 128), error, memory().tensors, await c.read() instanceof Float32Array]));`;
const works = [true, true, "tensor: data holds 1 elements, [2] needs 2", 2, true];

/** The one message that every use fails with. */
async function failure(options: { library?: string; flags?: string[] }): Promise<string> {
  const env: Record<string, string> = options.library === undefined ? {} : { TILEWORK_LIBRARY: options.library };
  const { available, errors } = await childJson(failing, { env, ...options.flags && { flags: options.flags } }) as {
    available: boolean;
    errors: Record<string, string>;
  };
  assert.equal(available, false);
  const messages = [...new Set(Object.values(errors))];
  assert.equal(messages.length, 1, JSON.stringify(errors));
  return messages[0]!;
}

/** What every failure says: the platform, what was tried, and what to do. */
function assertHelpful(message: string, path: string, from: string, reason: RegExp, unread = false): void {
  const libc = process.platform === "linux" ? `, (glibc|musl)( [\\d.]+)?` : "";
  assert.match(
    message,
    new RegExp(`^The native library of tilework could not be loaded on ${process.platform} ${process.arch}${libc}\\.\\nTried:\\n`),
  );
  const [tried = "", advice] = message.split("\nTried:\n")[1]!.split(/\n(?=Build it)/);
  assert.ok(tried.startsWith(`  ${path} (${from}): `), message);
  assert.match(tried, reason);
  assert.equal(
    advice,
    "Build it with `deno task build` in the repository, or set TILEWORK_LIBRARY to its path; in Deno allow it with --allow-ffi." +
      (unread
        ? "\nTILEWORK_LIBRARY may not be read here and was passed over if it is set: allow that with --allow-env=TILEWORK_LIBRARY."
        : ""),
  );
}

/** A changed copy of the library. */
async function changed(name: string, change: (bytes: Uint8Array) => void): Promise<string> {
  const bytes = await readFile(libraryPath);
  change(bytes);
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

test("isAvailable() is true where the library can be loaded", () => {
  assert.equal(isAvailable(), true);
  assert.equal(isAvailable(), true);
  assert.equal(new LibraryNotFoundError("x").name, "LibraryNotFoundError");
});

test("an absent library is a LibraryNotFoundError with its path, the platform and what to do", { timeout: 60_000 }, async () => {
  const path = join(folder, "absent", "libtilework.so");
  assertHelpful(
    await failure({ library: path }),
    path,
    "TILEWORK_LIBRARY",
    /No such file|cannot open|not found|no such file|could not be found/,
  );
});

test("a text file in place of the library says what the system says of it", { timeout: 60_000, skip: notLinux }, async () => {
  const path = join(folder, "text.so");
  await writeFile(path, "This is no library.\n".repeat(500));
  assertHelpful(await failure({ library: path }), path, "TILEWORK_LIBRARY", /invalid ELF header/);
  await writeFile(path, "");
  assertHelpful(await failure({ library: path }), path, "TILEWORK_LIBRARY", /file too short/);
  assertHelpful(await failure({ library: folder }), folder, "TILEWORK_LIBRARY", /cannot read file data|Is a directory/);
});

test("a library of another architecture says what the system says of it", { timeout: 60_000, skip: notLinux }, async () => {
  const machine = process.arch === "x64" ? 0xb7 : 0x3e; // e_machine: AArch64 or x86-64
  const path = await changed("other-machine.so", (bytes) => bytes[18] = machine);
  assertHelpful(await failure({ library: path }), path, "TILEWORK_LIBRARY", /cannot open shared object file|wrong ELF class|ELF file/);
});

test("a library that is another one says which symbol it lacks", { timeout: 60_000, skip: notLinux }, async () => {
  const path = "libm.so.6";
  if (!await exists("sh", "-c", "ldconfig -p | grep -q libm.so.6")) return;
  assertHelpful(await failure({ library: path }), path, "TILEWORK_LIBRARY", /tw_manifest/);
});

test("a library built from other sources is refused with a sentence", { timeout: 60_000 }, async () => {
  const text = '"statuses": ["ok"';
  const at = (bytes: Uint8Array) => {
    const found = new TextDecoder("latin1").decode(bytes).indexOf(text);
    assert.ok(found > 0, "the library holds its manifest as text");
    return found;
  };
  const reason = /it was built from other sources than this TypeScript: rebuild it with `deno task build`, or install matching versions/;
  // Another name of a status, and no JSON any more.
  for (const [name, offset] of [["renamed.so", text.length - 2], ["garbled.so", 0]] as const) {
    const path = await changed(name, (bytes) => bytes[at(bytes) + offset] = "!".charCodeAt(0));
    assertHelpful(await failure({ library: path }), path, "TILEWORK_LIBRARY", reason);
  }
});

test("TILEWORK_LIBRARY takes a path with spaces and other letters", { timeout: 60_000 }, async () => {
  const path = join(folder, "mit Leerraum äß", "tile work.so");
  await mkdir(join(path, ".."));
  await copyFile(libraryPath, path);
  assert.deepEqual(await childJson(working, { env: { TILEWORK_LIBRARY: path } }), works);
});

test("a failed load is tried again at the next use", { timeout: 60_000 }, async () => {
  const path = join(folder, "later.so");
  const seen = await childJson(
    `
    import { copyFileSync } from "node:fs";
    import { isAvailable } from "tilework";
    const before = isAvailable();
    copyFileSync(${JSON.stringify(libraryPath)}, ${JSON.stringify(path)});
    console.log(JSON.stringify([before, isAvailable()]));`,
    { env: { TILEWORK_LIBRARY: path } },
  );
  assert.deepEqual(seen, [false, true]);
});

test("Deno without --allow-ffi imports the module and says how to allow it", { timeout: 60_000, skip: notDeno }, async () => {
  for (
    const flags of [["--no-prompt", "--deny-net"], ["--deny-net"], ["--no-prompt", "--allow-read", "--allow-env"], ["--deny-ffi"], [
      "-A",
      "--deny-ffi",
    ]]
  ) {
    const message = await failure({ flags });
    const from = message.includes("(TILEWORK_LIBRARY)") ? "TILEWORK_LIBRARY" : "the build folder";
    const path = message.split("\n")[2]!.trim().split(" (")[0]!;
    assertHelpful(message, path, from, /--allow-ffi|permissions forbid/, !flags.some((flag) => flag === "-A" || flag === "--allow-env"));
  }
});

test("Deno needs --allow-ffi and nothing else", { timeout: 60_000, skip: notDeno }, async () => {
  assert.deepEqual(await childJson(working, { flags: ["--no-prompt", "--allow-ffi"] }), works);
});

test("Deno needs no more than --allow-ffi=<path of the library>", { timeout: 60_000, skip: notDeno }, async () => {
  const built = libraryPath.includes("zig-out") ? libraryPath : undefined;
  if (built === undefined) return; // under these flags TILEWORK_LIBRARY cannot be read
  assert.deepEqual(await childJson(working, { flags: ["--no-prompt", `--allow-ffi=${built}`] }), works);
  const message = await failure({ flags: ["--no-prompt", `--allow-ffi=${join(folder, "other.so")}`] });
  assertHelpful(message, built, "the build folder", /--allow-ffi/, true);
});

test("where TILEWORK_LIBRARY may not be read, the error says how to allow it", { timeout: 60_000, skip: notDeno }, async () => {
  const library = join(folder, "unread.so"), ffi = `--allow-ffi=${join(folder, "other.so")}`;
  const unread =
    /\nTILEWORK_LIBRARY may not be read here and was passed over if it is set: allow that with --allow-env=TILEWORK_LIBRARY\.$/;
  for (const env of [[], ["--allow-env=HOME"], ["--deny-env=TILEWORK_LIBRARY", "--allow-env"]]) {
    assert.match(await failure({ library, flags: ["--no-prompt", ffi, ...env] }), unread);
  }
  assert.doesNotMatch(await failure({ library, flags: ["--no-prompt", ffi, "--allow-env=TILEWORK_LIBRARY"] }), unread);
});

test("Deno never prompts and prints nothing while it looks for the library", { timeout: 60_000, skip: notDeno }, async () => {
  const ended = await child(`import { isAvailable } from "tilework"; console.log(isAvailable());`, { flags: ["--deny-net"] });
  assertEndedWell(ended);
  assert.deepEqual([ended.stdout, ended.stderr], ["false\n", ""]);
});

test("Deno's environment permission is enough to name another library", { timeout: 60_000, skip: notDeno }, async () => {
  const path = join(folder, "named.so");
  await copyFile(libraryPath, path);
  const flags = ["--no-prompt", `--allow-ffi=${path}`, "--allow-env=TILEWORK_LIBRARY"];
  assert.deepEqual(await childJson(working, { flags, env: { TILEWORK_LIBRARY: path } }), works);
});

test("isAvailable() at the top of a test file satisfies Deno's sanitizer of resources", { timeout: 60_000, skip: notDeno }, async () => {
  const path = join(folder, "sanitized_test.ts");
  await writeFile(
    path,
    `
    import { cpu, isAvailable, tensor } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
    isAvailable();
    Deno.test("first", () => { using x = tensor(cpu, [2], [1, 2]); x.readSync(); });
    Deno.test("second", async () => { using x = tensor(cpu, [2], [1, 2]); await x.read(); });`,
  );
  const ended = await run([process.execPath, "test", "-A", "--no-check", "--sanitize-resources", "--sanitize-ops", path]);
  assertEndedWell(ended);
  assert.match(ended.stdout, /2 passed/);
});

test("the library exports its entries and nothing else, and needs only the C library", {
  timeout: 60_000,
  skip: notLinux || (await exists("readelf", "--version") ? false : "readelf is missing"),
}, async () => {
  const { stdout } = await run(["readelf", "--wide", "--dyn-syms", "--dynamic", "--program-headers", libraryPath]);
  const exported = stdout.split("\n").filter((line) => /\b(GLOBAL|WEAK)\b/.test(line) && !/\bUND\b/.test(line)).map((line) =>
    line.trim().split(/\s+/)[7]
  );
  assert.deepEqual(exported.filter((name) => !name!.startsWith("tw_")), []);
  assert.ok(exported.includes("tw_manifest"));
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name!);
  assert.deepEqual(
    needed.filter((name) => !/^(libc|libm|libpthread|libdl|librt|ld-linux[\w-]*)\.so\b|^ld-musl|^libc\.musl/.test(name)),
    [],
  );
  // A large block of thread-local storage keeps a library from loading at all (C34).
  const local = stdout.match(/^\s*TLS\s+\w+\s+\w+\s+\w+\s+\w+\s+(0x\w+)/m);
  assert.ok(Number(local?.[1] ?? 0) < 1024, `${local?.[1]} bytes of thread-local storage`);
  const versions = [...stdout.matchAll(/@GLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => Number(major) * 1000 + Number(minor));
  assert.ok(Math.max(0, ...versions) <= 2017, "glibc 2.17 is enough");
});
