import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { cpu, load, save, tensor, zeros } from "../mod.ts";
import { hashed, processName } from "../core/processes.ts";
import { replaceFile } from "../nn/replace_file.ts";
import { child } from "./child.ts";
import { inFolder } from "./checkpoint_harness.ts";

const windows = process.platform === "win32" && "Windows has other names, links and modes, and locks what is open";

const text = async (path: string) => await readFile(path, "utf8");
const write = (path: string, content: string) => replaceFile(path, [new TextEncoder().encode(content)]);

/** The name of what a save of `file` leaves, by default that of a process of this machine that is not there: no system counts so far. */
const leftover = (file: string, process = `${processName().split("-")[0]}-2147483647`) =>
  `.tilework-${hashed(file, 16)}-${process}-01234567.tmp`;

test("replaceFile() takes every name that the file system takes", { skip: windows }, () =>
  inFolder(async (folder) => {
    for (const name of ["n".repeat(214), "n".repeat(215), "n".repeat(255), "€".repeat(85), "…".repeat(84) + "abc", " ", "-", ".x"]) {
      const path = join(folder, name);
      await write(path, "old");
      await write(path, "new");
      assert.equal(await text(path), "new");
    }
    await assert.rejects(write(join(folder, "n".repeat(256)), "x"), /ENAMETOOLONG/);
    assert.equal((await readdir(folder)).length, 8);
  }));

test("replaceFile() replaces the file behind a symbolic link, and the link stays", { skip: windows }, () =>
  inFolder(async (folder) => {
    const link = join(folder, "latest"), target = join(folder, "step100");
    await symlink("step100", link);
    await write(link, "the first"); // the file that the link names need not be there
    assert.equal(await text(target), "the first");
    await write(link, "the second");
    assert.deepEqual([await readlink(link), await text(target), (await lstat(target)).isFile()], ["step100", "the second", true]);
    await symlink(link, join(folder, "newest")); // a link to a link, by its whole path
    await write(join(folder, "newest"), "the third");
    assert.deepEqual([await readlink(join(folder, "newest")), await readlink(link), await text(target)], [link, "step100", "the third"]);

    // `..` behind a linked folder is above the folder that is really meant.
    await mkdir(join(folder, "deep", "runs"), { recursive: true });
    await symlink(join(folder, "deep", "runs"), join(folder, "runs"));
    await symlink("../best", join(folder, "deep", "runs", "best"));
    await writeFile(join(folder, "deep", leftover("best")), "half");
    await write(join(folder, "runs", "best"), "above");
    assert.equal(await text(join(folder, "deep", "best")), "above");
    assert.deepEqual((await readdir(join(folder, "deep"))).sort(), ["best", "runs"], "it was written in that folder");

    await symlink("round", join(folder, "round"));
    await assert.rejects(write(join(folder, "round"), "x"), /ELOOP/);
    assert.deepEqual((await readdir(folder)).sort(), ["deep", "latest", "newest", "round", "runs", "step100"]);
  }));

test("replaceFile() keeps the permissions of a file, from its first byte on", { skip: windows }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "a");
    await write(path, "old");
    assert.equal((await stat(path)).mode & 0o777, 0o666 & ~process.umask(), "a new file gets what the process gives");
    for (const mode of [0o600, 0o640, 0o666, 0o444]) {
      await chmod(path, mode);
      await write(path, `${mode}`);
      assert.deepEqual([(await stat(path)).mode & 0o777, await text(path)], [mode, `${mode}`]);
    }
  }));

test("replaceFile() refuses to put a file in the place of a folder or a device", () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, "sub"));
    await assert.rejects(write(join(folder, "sub"), "x"), /^Error: is a folder$/);
    if (process.platform !== "win32") {
      await symlink("/dev/null", join(folder, "nothing"));
      await assert.rejects(write(join(folder, "nothing"), "x"), /^Error: is no file$/);
      assert.ok((await stat("/dev/null")).isCharacterDevice());
    }
  }));

test("replaceFile() removes what killed processes have left of the same file, and nothing else", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a"), dead = leftover("a");
    const twoDays = new Date(Date.now() - 2 * 86_400_000), hours = new Date(Date.now() - 20 * 3_600_000);
    const put = async (name: string, time?: Date) => {
      await writeFile(join(folder, name), "half");
      if (time) await utimes(join(folder, name), time, time);
      return name;
    };
    const stays = [
      await put(leftover("b"), twoDays), // of another file
      await put(leftover("a", processName()), hours), // this process runs
      await put(leftover("a", "abcdef01-2147483647"), hours), // of another machine, and not a day old
      await put(leftover("a", "00000000-2147483647")), // of a machine that may not be asked for
      await put(leftover("a", `${processName().split("-")[0]}-4294967295`)), // a number that no process has
      await put(`${dead}.x`, twoDays),
      await put("a.tmp", twoDays),
    ];
    await put(dead);
    await put(leftover("a", "abcdef01-0000000001"), twoDays);
    await put(leftover("a", "00000000-0000000001"), twoDays);
    await write(path, "new");
    assert.deepEqual((await readdir(folder)).sort(), ["a", ...stays].sort());
    await mkdir(join(folder, dead)); // what cannot be removed is no failure
    await write(path, "newer");
    assert.equal(await text(path), "newer");
  }));

test(
  "replaceFile() writes again what another program has removed before it was whole",
  { skip: windows },
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a"), bytes = new Uint8Array(10_000_000).fill(7);
      await write(path, "old");
      for (let met = 0, attempt = 0; met < 10; attempt++) {
        assert.ok(attempt < 100, `the file was met ${met} times while it was written`);
        let done = false, removed = false;
        const saving = replaceFile(path, [bytes, new Uint8Array([1, 2])]).finally(() => done = true);
        while (!done && !removed) {
          for (const name of (await readdir(folder)).filter((name) => name.endsWith(".tmp"))) {
            await unlink(join(folder, name)).then(() => removed = true, () => {});
          }
        }
        await saving;
        if (removed) met++;
        const found = await readFile(path);
        assert.ok(found.length === bytes.length + 2 && found[0] === 7 && found.at(-1) === 2);
        assert.deepEqual(await readdir(folder), ["a"]);
      }
    }),
);

test("save() removes what a save that was killed has left", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.safetensors"), w = tensor(cpu, [2], [1, 2]);
    await save(path, { w });
    const program = `
      import { cpu, save, zeros } from "tilework";
      const w = zeros(cpu, [5_000_000]);
      for (;;) { await save(${JSON.stringify(path)}, { w }); console.log("saved"); }`;
    const left = async () => (await readdir(folder)).filter((name) => name.endsWith(".tmp"));
    for (let attempt = 0; (await left()).length === 0; attempt++) {
      assert.ok(attempt < 20, "the process was never killed in the middle of a save");
      let asked = false;
      await child(program, {
        watch: async (stdout, pid) => {
          if (asked || !stdout.includes("saved")) return;
          asked = true;
          await setTimeout(5 * attempt);
          while ((await left()).length === 0) await setTimeout(0);
          process.kill(pid, "SIGKILL");
        },
      });
    }
    const big = zeros(cpu, [5_000_000]);
    await load(path, { w: big }); // the last whole one
    await save(path, { w });
    assert.deepEqual(await readdir(folder), ["a.safetensors"]);
  }));

test(
  "processes that save the same file at the same time take nothing from each other",
  { skip: windows },
  () =>
    inFolder(async (folder) => {
      const path = join(folder, "a.safetensors");
      const program = (value: number) => `
      import { cpu, full, save } from "tilework";
      const w = full(cpu, [300_000], ${value});
      for (let i = 0; i < 30; i++) await save(${JSON.stringify(path)}, { w });
      console.log("fine");`;
      const ended = await Promise.all([1, 2].map((value) => child(program(value))));
      for (const { stdout, stderr } of ended) assert.equal(stdout.trim(), "fine", stderr);
      const w = zeros(cpu, [300_000]);
      await load(path, { w });
      const [first] = w.readSync();
      assert.ok((first === 1 || first === 2) && w.readSync().every((value) => value === first));
      assert.deepEqual(await readdir(folder), ["a.safetensors"]);
    }),
);
