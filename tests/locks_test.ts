// What scripts install: lockfiles that agree and hold a hash for every package, and tools by pinned hashes.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkBunLock, checkIntegrity, integrityOf, pinned } from "../scripts/integrity.ts";
import { type DenoLock, denoLockFaults, lockFaults, type Manifest, type NpmLock, npmLockFaults } from "../scripts/locks.ts";
import { root } from "../scripts/process.ts";
import { pip, requirements } from "../scripts/python.ts";
import { denoVersion, oldest, packages, zigVersion } from "../scripts/versions.ts";

const hash = `sha512-${"A".repeat(86)}==`, other = `sha512-${"B".repeat(86)}==`;

function good(): { manifest: Manifest; npm: NpmLock; deno: DenoLock } {
  return {
    manifest: { devDependencies: { bun: "1.4.5" } },
    npm: { packages: { "": { devDependencies: { bun: "1.4.5" } }, "node_modules/bun": { version: "1.4.5", integrity: hash } } },
    deno: { specifiers: { "npm:bun@1.4.5": "1.4.5" }, npm: { "bun@1.4.5": { integrity: hash } } },
  };
}

/** The faults of good lockfiles after one change. */
function faults(change: (files: ReturnType<typeof good>) => void): string[] {
  const files = good();
  change(files);
  return [...npmLockFaults(files.manifest, files.npm), ...denoLockFaults(files.manifest, files.npm, files.deno)];
}

test("locks: the lockfiles of the repository agree with package.json, hold a hash for each package and name no other registry", () => {
  assert.deepEqual(lockFaults(), []);
  assert.deepEqual(faults(() => {}), []);
});

test("locks: a lockfile that lacks a hash, has another one, another version or another registry is found", () => {
  const entry = (npm: NpmLock) => npm.packages["node_modules/bun"]!;
  for (
    const [change, sentence] of [
      [({ npm }) => delete entry(npm).integrity, /node_modules\/bun has no sha512 integrity/],
      [({ npm }) => entry(npm).integrity = "sha1-AAAA", /has no sha512 integrity/],
      [({ npm }) => entry(npm).resolved = "https://elsewhere.example/bun.tgz", /comes from https:\/\/elsewhere/],
      [({ npm }) => npm.packages[""]!.devDependencies = { bun: "1.4.4" }, /package.json has 1.4.5, package-lock.json 1.4.4/],
      [({ npm }) => npm.packages[""]!.dependencies = { more: "1.0.0" }, /dependencies of more: package.json has undefined/],
      [({ manifest }) => manifest.devDependencies = { bun: "^1.4.5" }, /must be one exact version/],
      [({ deno }) => deno.npm["bun@1.4.5"]!.integrity = other, /other hashes in deno.lock and package-lock.json/],
      [({ deno }) => deno.npm["bun@1.4.5"]!.tarball = "https://elsewhere.example/bun.tgz", /deno.lock: bun@1.4.5 comes from/],
      [({ deno }) => delete deno.npm["bun@1.4.5"]!.integrity, /deno.lock: bun@1.4.5 has no sha512/],
      [({ deno }) => deno.specifiers = {}, /deno.lock: bun is undefined/],
      [({ deno }) => deno.specifiers["jsr:@std/path@1"] = "1.0.0", /is no package of npm/],
      [({ deno }) => deno.remote = {}, /deno.lock has "remote"/],
    ] as [(files: ReturnType<typeof good>) => void, RegExp][]
  ) assert.match(faults(change).join("\n"), sentence);
});

test("locks: every list of Python packages pins exact versions, and a sha256 for each", () => {
  for (
    const path of [
      "scripts/python/zig.txt",
      "scripts/python/shaders.txt",
      "scripts/python/checkpoints.txt",
      "bench/peers/openblas.txt",
      "bench/peers/mkl.txt",
    ]
  ) {
    const text = readFileSync(join(root, path), "utf8").replace(/^#.*\n/gm, "");
    const entry = /^[\w-]+==[\w.]+( \\\n {4}--hash=sha256:[0-9a-f]{64})+\n/gm;
    assert.equal(text.replace(entry, ""), "", path);
    assert.equal(requirements(path).packages.length, text.match(entry)!.length, path);
  }
  assert.match(zigVersion, /^\d+\.\d+\.\d+$/);
  const command = pip(["python3"], requirements("scripts/python/zig.txt"), "install", "here");
  for (const option of ["--require-hashes", "--only-binary=:all:"]) assert.ok(command.includes(option), command.join(" "));
});

test("locks: a package of npm that is fetched outside the lockfiles has the pinned hash or is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "tilework-locks-"));
  try {
    writeFileSync(join(folder, "a.tgz"), "not the package");
    const spec = `deno@${denoVersion}`;
    assert.throws(() => checkIntegrity(spec, integrityOf(join(folder, "a.tgz"))), /another package than the tested one/);
    assert.throws(() => checkIntegrity("deno@0.0.0", hash), /pins no hash of deno@0.0.0/);
    checkIntegrity(spec, pinned[spec]!);
    const lock = (integrity: string) => `{ "packages": {\n    "deno": ["${spec}", "", { "bin": "bin.cjs" }, "${integrity}"],\n  }\n}\n`;
    writeFileSync(join(folder, "bun.lock"), lock(pinned[spec]!));
    checkBunLock(folder);
    writeFileSync(join(folder, "bun.lock"), lock(hash));
    assert.throws(() => checkBunLock(folder), /another package than the tested one/);
    writeFileSync(join(folder, "bun.lock"), "{}");
    assert.throws(() => checkBunLock(folder), /names no package/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("locks: the runtimes that scripts fetch by version are pinned", () => {
  for (
    const spec of [
      `@deno/linux-x64-glibc@${oldest.deno}`,
      `@oven/bun-linux-x64@${oldest.bun}`,
      `@deno/linux-arm64-glibc@${denoVersion}`,
      `@deno/win32-x64@${denoVersion}`,
      `@oven/bun-linux-aarch64@${packages.bun}`,
      `@oven/bun-windows-x64@${packages.bun}`,
    ]
  ) assert.ok(spec in pinned, spec);
});
