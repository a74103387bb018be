import assert from "node:assert/strict";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { closeFile, finishReading, finishReadingSync, openFile, readFully, type ReadRequest, writeFully } from "../nn/disk.ts";
import { inFolder } from "./checkpoint_harness.ts";

const limit = 2 ** 30, long = 2 ** 31 + 1024;

test("readFully() asks for at most 2^30 bytes at once, each behind those that came", async () => {
  const asked: [number, number][] = [];
  // Never touched, so it takes no memory.
  const got = await finishReading(readFully(3, new Uint8Array(long), 100), ({ bytes, position }) => {
    if (bytes.length > limit) throw new RangeError('The value of "length" is out of range');
    asked.push([position, bytes.length]);
    return Promise.resolve(Math.min(bytes.length, 1e9));
  });
  assert.equal(got, long);
  assert.deepEqual(asked, [[100, limit], [100 + 1e9, limit], [100 + 2e9, long - 2e9]]);
});

test("writeFully() hands over at most 2^30 bytes at once, each behind those that were taken", async () => {
  const bytes = new Uint8Array(long), put: [number, number][] = [];
  await writeFully(3, bytes, (_, piece) => {
    if (piece.length > limit) throw new RangeError('The value of "length" is out of range');
    put.push([piece.byteOffset, piece.length]);
    return Promise.resolve(Math.min(piece.length, 1e9));
  });
  assert.deepEqual(put, [[0, limit], [1e9, limit], [2e9, long - 2e9]]);
});

test("readFully() and writeFully() refuse a count that cannot be", async () => {
  for (const count of [-1, 11, NaN, 1.5, 2 ** 31, undefined as unknown as number]) {
    await assert.rejects(
      finishReading(readFully(3, new Uint8Array(10), 0), () => Promise.resolve(count)),
      new Error(`the system says that it read ${count} of 10 bytes`),
    );
    await assert.rejects(
      writeFully(3, new Uint8Array(10), () => Promise.resolve(count)),
      new Error(`the system says that it wrote ${count} of 10 bytes`),
    );
  }
  await assert.rejects(writeFully(3, new Uint8Array(10), () => Promise.resolve(0)), /the system wrote none of 10 bytes/);
  const end = ({ position }: ReadRequest) => Promise.resolve(position < 7 ? 1 : 0);
  assert.equal(await finishReading(readFully(3, new Uint8Array(10), 0), end), 7, "the end of a file is no fault");
});

test("finishReading() lets steps undo what they began where a read fails", async () => {
  const undone: string[] = [];
  function* steps(fd: number): Generator<ReadRequest, void, number> {
    try {
      yield { fd, bytes: new Uint8Array(1), position: 0 };
    } finally {
      undone.push("undone");
    }
  }
  await assert.rejects(finishReading(steps(3), () => Promise.reject(new Error("EIO"))), /EIO/);
  assert.throws(() => finishReadingSync(steps(-1)));
  assert.deepEqual(undone, ["undone", "undone"]);
});

test("files of more than 4 GiB are read at their very places", () =>
  inFolder(async (folder) => {
    const path = join(folder, "sparse"), place = 2 ** 32 + 2 ** 31 + 5;
    const file = await open(path, "w");
    await file.write(new Uint8Array([1, 2, 3]), 0, 3, place); // what was never written takes no room
    await file.close();
    assert.equal((await stat(path)).size, place + 3);
    const fd = await openFile(path, "r");
    try {
      const bytes = new Uint8Array(6);
      assert.equal(await finishReading(readFully(fd, bytes, place - 1)), 4);
      assert.deepEqual([...bytes], [0, 1, 2, 3, 0, 0]);
      assert.equal(finishReadingSync(readFully(fd, bytes, place)), 3);
      assert.deepEqual([...bytes], [1, 2, 3, 3, 0, 0]);
    } finally {
      await closeFile(fd);
    }
  }));
