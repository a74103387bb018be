import assert from "node:assert/strict";
import { test } from "node:test";
import { CheckpointError, decodeHeader, decodeLength, encodeHeader, type Header } from "../nn/safetensors.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Decodes a header given as text. */
const decode = (json: string, dataBytes: number): Header => decodeHeader("load: x", utf8(json), dataBytes);

/** Checks that a header is refused in these words. */
function refused(json: string | Uint8Array, dataBytes: number, message: string | RegExp): void {
  const run = () => decodeHeader("load: x", typeof json === "string" ? utf8(json) : json, dataBytes);
  if (typeof message === "string") assert.throws(run, new CheckpointError(`load: x: ${message}`));
  else assert.throws(run, (error: Error) => error instanceof CheckpointError && message.test(error.message));
}

const entry = (dtype: string, shape: unknown, offsets: unknown): string => JSON.stringify({ dtype, shape, data_offsets: offsets });

test("encodeHeader() writes the format byte for byte", () => {
  const { bytes, order } = encodeHeader("save", [{ name: "a", dtype: "f32", shape: [2, 3] }], { step: "7" });
  const json = '{"__metadata__":{"step":"7"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}';
  assert.equal(new DataView(bytes.buffer).getBigUint64(0, true), BigInt(bytes.length - 8));
  assert.equal(new TextDecoder().decode(bytes.subarray(8)), json.padEnd(88));
  assert.deepEqual(order, [0]);
});

test("encodeHeader() and decodeHeader() are each other's inverse", () => {
  const tensors = [
    { name: "a", dtype: "f32", shape: [] },
    { name: "", dtype: "u32", shape: [0, 5] },
    { name: "__proto__", dtype: "f64", shape: [3] },
    { name: 'quo"te\\ \n 🐳', dtype: "i32", shape: [1, 1, 2] },
    { name: "0", dtype: "f64", shape: [1] },
  ] as const;
  const metadata = { "": "", "\u{1F40B}": '"}{:,', ["__proto__"]: "x" };
  const { bytes, order } = encodeHeader("save", tensors, metadata);
  assert.equal(bytes.length % 8, 0);
  assert.deepEqual(order, [2, 4, 0, 1, 3], "wide elements come first, else the order stays");
  const length = decodeLength("load", bytes.subarray(0, 8), bytes.length + 44);
  const header = decodeHeader("load", bytes.subarray(8, 8 + length), 44);
  assert.deepEqual({ ...header.metadata }, { ...metadata });
  assert.deepEqual(header.entries.get("a"), { dtype: "F32", shape: [], begin: 32, end: 36 });
  assert.deepEqual(header.entries.get(""), { dtype: "U32", shape: [0, 5], begin: 36, end: 36 });
  assert.deepEqual(header.entries.get("__proto__"), { dtype: "F64", shape: [3], begin: 0, end: 24 });
  assert.deepEqual(header.entries.get(tensors[3].name), { dtype: "I32", shape: [1, 1, 2], begin: 36, end: 44 });
  assert.equal(header.entries.size, 5);
});

test("encodeHeader() refuses what a reader could not read", () => {
  const x = { dtype: "f32", shape: [1] } as const;
  assert.throws(
    () => encodeHeader("save", [{ ...x, name: "__metadata__" }]),
    new TypeError("save: a tensor cannot be called __metadata__"),
  );
  assert.throws(() => encodeHeader("save", [{ ...x, name: "\ud800" }]), /^TypeError: save: a tensor's name holds half of a surrogate pair/);
  assert.throws(() => encodeHeader("save", [], { a: "\udc00" }), /^TypeError: save: metadata\.a holds half/);
  assert.throws(
    () => encodeHeader("save", [], { step: 3 as unknown as string }),
    new TypeError("save: metadata.step must be a string, got 3"),
  );
  for (const metadata of [null, "step", ["a"], new Map([["a", "b"]])]) {
    assert.throws(() => encodeHeader("save", [], metadata as never), /^TypeError: save: metadata must be an object of strings, got /);
  }
});

test("decodeLength() refuses a length that the file cannot hold", () => {
  const prefix = (length: bigint) => new Uint8Array(new BigUint64Array([length]).buffer);
  assert.equal(decodeLength("load: x", prefix(2n), 10), 2);
  assert.throws(
    () => decodeLength("load: x", new Uint8Array(5), 5),
    new CheckpointError("load: x: is 5 bytes long, too short for a safetensors file"),
  );
  for (const [length, size] of [[3n, 10], [2n ** 63n, 1e9], [2n ** 64n - 1n, 2 ** 40], [100_000_001n, 2 ** 40]] as const) {
    assert.throws(() => decodeLength("load: x", prefix(length), size), /^CheckpointError: load: x: claims a header of \d+ bytes/);
  }
  assert.equal(decodeLength("load: x", prefix(100_000_000n), 2 ** 40), 100_000_000);
});

test("decodeHeader() takes an empty file, padding and types that are no tensors here", () => {
  assert.equal(decode("{}      ", 0).entries.size, 0);
  assert.deepEqual(decode(`{"w": ${entry("BF16", [3], [0, 6])}}`, 6).entries.get("w"), { dtype: "BF16", shape: [3], begin: 0, end: 6 });
  assert.deepEqual(decode(`{"__metadata__": {"a": "1"}}`, 0).metadata, { a: "1" });
  // The order in the header says nothing about the order of the data.
  assert.equal(
    decode(`{"b": ${entry("F32", [1], [4, 8])}, "a": ${entry("F32", [1], [0, 4])}, "e": ${entry("F32", [0], [4, 4])}}`, 8).entries.size,
    3,
  );
});

test("decodeHeader() refuses what is not a JSON object in UTF-8", () => {
  refused(new Uint8Array([0x7b, 0xff, 0x7d]), 0, /^load: x: its header is not JSON in UTF-8/);
  refused("\ufeff{}", 0, /^load: x: its header is not JSON/);
  for (const text of ["", "{", "{}x", "{'a':1}"]) refused(text, 0, /^load: x: its header is not JSON/);
  for (const text of ["[]", "null", "3", '"a"', " {}"]) refused(text, 0, "its header is not a JSON object");
  refused("[".repeat(200_000), 0, /^load: x: its header is not/);
});

test("decodeHeader() refuses names that occur twice, at any depth and however written", () => {
  const a = entry("F32", [1], [0, 4]), b = entry("F32", [1], [4, 8]);
  refused(`{"a":${a},"b":${b},"a":${b}}`, 8, 'its header has "a" twice');
  refused(`{"a":${a},"\\u0061" :${b}}`, 8, 'its header has "a" twice');
  refused(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"dtype":"I32"}}`, 4, 'its header has "dtype" twice');
  refused(`{"__metadata__":{"k":"1","k":"2"}}`, 0, 'its header has "k" twice');
  // The same words as values, and as keys of different objects, are none of that.
  assert.equal(decode(`{"__metadata__":{"k":"k","{\\"k\\":":"k\\\\"},"k":${a}}`, 4).entries.size, 1);
});

test("decodeHeader() refuses a tensor that is described wrongly", () => {
  const is = (described: string, message: string | RegExp) => refused(`{"w":${described}}`, 8, message);
  for (const value of ["3", "null", "[]", '"F32"']) is(value, 'tensor "w" is not described by an object');
  is(`{"shape":[2],"data_offsets":[0,8]}`, 'tensor "w" has the dtype undefined');
  for (const shape of [2, [-1], [1.5], ["2"], null, [2 ** 53]]) {
    is(entry("F32", shape, [0, 8]), 'tensor "w" has a shape that is not a list of sizes');
  }
  for (const offsets of [[0], [0, 8, 8], [0, "8"], [0.5, 8], [-8, 0], 8, undefined]) {
    is(entry("F32", [2], offsets), 'tensor "w" has data_offsets that are not two whole numbers');
  }
  is(entry("F32", [2], [8, 0]), 'tensor "w" lies at bytes 8 to 0 of 8');
  is(entry("F32", [2], [0, 12]), 'tensor "w" lies at bytes 0 to 12 of 8');
  is(entry("F32", [3], [0, 8]), 'tensor "w" is F32 [3], 12 bytes, but lies at bytes 0 to 8');
  is(entry("F64", [2], [0, 8]), /16 bytes, but/);
  is(entry("F32", [2 ** 40, 2 ** 40], [0, 8]), /^load: x: tensor "w" has the impossible shape/);
  is(entry("F6_E2M3", [3], [0, 2]), 'tensor "w" is F6_E2M3 [3], 18 bits, which fill no whole number of bytes');
  is(entry("F31", [2], [0, 12]), 'tensor "w" lies at bytes 0 to 12 of 8');
});

test("decodeHeader() counts sizes in bits, and of types that it does not know it checks the place alone", () => {
  const takes = (dtype: string, shape: number[], bytes: number) =>
    assert.deepEqual(decode(`{"w":${entry(dtype, shape, [0, bytes])}}`, bytes).entries.get("w"), { dtype, shape, begin: 0, end: bytes });
  takes("F4", [4, 4], 8);
  takes("F6_E2M3", [4, 4], 12);
  takes("F6_E3M2", [4], 3);
  takes("F8_E4M3FNUZ", [4], 4);
  takes("F8_E5M2FNUZ", [4], 4);
  takes("C64", [3], 24);
  takes("F31", [2], 7);
  takes("toString", [2], 1);
  takes("F32", [0, 2 ** 40, 2 ** 40], 0);
  refused(`{"w":${entry("F4", [4, 4], [0, 16])}}`, 16, 'tensor "w" is F4 [4, 4], 8 bytes, but lies at bytes 0 to 16');
});

test("encodeHeader() and decodeHeader() take metadata up to the header's limit", () => {
  for (const history of ["\n".repeat(4_000_000), '\\"'.repeat(2_000_000), "x".repeat(80_000_000), "🐳".repeat(1_000_000)]) {
    const { bytes } = encodeHeader("save", [{ name: "w", dtype: "f32", shape: [1] }], { history, after: "1" });
    const { metadata, entries } = decodeHeader("load", bytes.subarray(8), 4);
    assert.ok(metadata.history === history && metadata.after === "1" && entries.size === 1);
  }
  for (const history of ["x".repeat(100_000_000), "\n".repeat(60_000_000), "x".repeat(400_000_000)]) {
    assert.throws(() => encodeHeader("save", [], { history }), /^RangeError: save: names and metadata take \d+ bytes, at most 100000000/);
  }
});

test("decodeHeader() refuses overlaps, gaps and bytes that belong to nobody", () => {
  const two = (first: number[], second: number[]) =>
    `{"a":${entry("F32", [(first[1]! - first[0]!) / 4], first)},"b":${entry("F32", [(second[1]! - second[0]!) / 4], second)}}`;
  assert.equal(decode(two([0, 8], [8, 16]), 16).entries.size, 2);
  refused(two([0, 8], [4, 16]), 16, 'tensor "b" overlaps another');
  refused(two([0, 16], [4, 8]), 16, 'tensor "b" overlaps another');
  refused(two([0, 8], [0, 8]), 8, 'tensor "b" overlaps another');
  refused(two([0, 4], [8, 16]), 16, "bytes 4 to 8 belong to no tensor");
  refused(two([4, 8], [8, 16]), 16, "bytes 0 to 4 belong to no tensor");
  refused(two([0, 8], [8, 16]), 20, "bytes 16 to 20 belong to no tensor");
  refused("{}", 1, "bytes 0 to 1 belong to no tensor");
  refused(`{"a":${entry("F32", [2], [0, 8])},"e":${entry("F32", [0], [4, 4])}}`, 8, 'tensor "e" overlaps another');
});

test("decodeHeader() refuses metadata that is not strings", () => {
  refused(`{"__metadata__":[]}`, 0, "__metadata__ must be an object of strings");
  assert.deepEqual(decode(`{"__metadata__":null}`, 0).metadata, {}, "null says that there is none");
  refused(`{"__metadata__":{"a":1}}`, 0, '__metadata__ must hold strings, "a" is 1');
});

test("decodeHeader() survives every damaged copy of a good header", () => {
  const { bytes } = encodeHeader("save", [{ name: "a", dtype: "f32", shape: [2, 3] }, { name: "b.c", dtype: "u32", shape: [] }], {
    k: "v",
  });
  const json = bytes.subarray(8);
  for (let at = 0; at < json.length; at++) {
    for (const value of [0, 0x20, 0x22, 0x2c, 0x30, 0x39, 0x5b, 0x5d, 0x7b, 0x7d, 0xff]) {
      const damaged = json.slice();
      damaged[at] = value;
      try {
        for (const { begin, end } of decodeHeader("load: x", damaged, 28).entries.values()) {
          assert.ok(begin >= 0 && begin <= end && end <= 28);
        }
      } catch (error) {
        assert.ok(error instanceof CheckpointError, `byte ${at} as ${value}: ${error}`);
      }
    }
  }
});
