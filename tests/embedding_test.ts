import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  cpu,
  crossEntropy,
  type Device,
  embedding,
  embeddingBackward,
  linear,
  memory,
  mul,
  scope,
  slice,
  sum,
  type Tensor,
  tensor,
  trim,
  valueAndGrad,
} from "../mod.ts";
import { assertGradients } from "./harness.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { both, everyDevice, lengths, normal, of, refuses, strided, taped, whole } from "./row_harness.ts";

test("embedding() looks rows up and sums their gradients in order, at every width", () => {
  const vocabulary = 11;
  for (const dtype of ["f32", "f64"] as const) {
    for (const width of lengths) {
      for (const count of [0, 1, 30]) {
        scope(() => {
          const ids = whole(count, vocabulary, width + count);
          const table = both(normal(vocabulary * width, 1))[dtype], c = both(normal(count * width, 2))[dtype];
          const wanted = ids.flatMap((id) => [...table.subarray(id * width, id * width + width)]);
          // In the type itself, in the same order: equal bits.
          const wantedDw = dtype === "f32" ? new Float32Array(table.length) : new Float64Array(table.length);
          ids.forEach((id, i) => {
            for (let j = 0; j < width; j++) wantedDw[id * width + j]! += c[i * width + j]!;
          });
          const weight = of(cpu, [vocabulary, width], table, dtype), dy = of(cpu, [count, width], c, dtype);
          for (const data of [Int32Array.from(ids), Uint32Array.from(ids)]) {
            const tokens = tensor(cpu, [count], data as Uint32Array<ArrayBuffer>);
            assert.deepEqual([...embedding(tokens, { weight } as never).readSync()], wanted);
            assert.deepEqual(embeddingBackward(tokens, { weight } as never, dy as never).readSync(), wantedDw);
            assert.deepEqual(taped(() => embedding(tokens, { weight } as never)).backward(dy)[0]!.readSync(), wantedDw);
          }
          // Views of the table and of the gradient.
          const tokens = tensor(cpu, [count], Uint32Array.from(ids));
          const gaps = strided(cpu, [vocabulary, width], table, dtype);
          assert.deepEqual([...embedding(tokens, { weight: gaps } as never).readSync()], wanted);
          for (const turned of [false, true]) {
            const g = strided(cpu, [count, width], c, dtype, turned);
            assert.deepEqual(embeddingBackward(tokens, { weight } as never, g as never).readSync(), wantedDw);
          }
        });
      }
    }
  }
});

test("embedding() keeps the leading axes of its ids and takes a scalar", () => {
  scope(() => {
    const weight = tensor(cpu, [3, 2], [0, 1, 10, 11, 20, 21]);
    assert.deepEqual(embedding(tensor(cpu, [2, 2], new Uint32Array([0, 1, 2, 0])), { weight }).shape, [2, 2, 2]);
    const one = embedding(tensor(cpu, [], new Uint32Array([1])), { weight });
    assert.deepEqual([one.shape, [...one.readSync()]], [[2], [10, 11]]);
  });
});

test("embeddingBackward() adds to out where it accumulates: each row's sum goes on, and other rows are not touched", () => {
  scope(() => {
    const weight = tensor(cpu, [4, 2], new Float32Array(8)), ids = tensor(cpu, [3], new Uint32Array([2, 0, 2]));
    const dy = tensor(cpu, [3, 2], [1, 2, 3, 4, 5, 6]);
    const out = tensor(cpu, [4, 2], [10, 20, -0, NaN, 30, 2 ** 24, 7, 7]);
    const result = embeddingBackward(ids, { weight }, dy, { out, accumulate: true });
    assert.equal(result, out);
    // 2^24 + 2 + 6, one after the other, is exact; the untouched rows keep a negative zero and a NaN.
    assert.deepEqual([...out.readSync()], [13, 24, -0, NaN, 36, 2 ** 24 + 8, 7, 7]);
    refuses(
      () => embeddingBackward(ids, { weight }, dy, { accumulate: true }),
      "TypeError",
      "embeddingBackward: accumulate is set, but there is no out to add to",
    );
  });
});

test("a table that a loss looks up several times has one gradient tensor, to which the later lookups add", () => {
  const vocabulary = 5000, width = 32, bytes = 4 * vocabulary * width;
  const [a, b] = [3, 4].map((place) => tensor(cpu, [40], Uint32Array.from(whole(40, vocabulary, place))));
  using table = tensor(cpu, [vocabulary, width], Float32Array.from(normal(vocabulary * width, 1))) as Table;
  type P = { u: Table };
  const twice = valueAndGrad((p: P) => sum(mul(embedding(a!, { weight: p.u }), embedding(b!, { weight: p.u }) as never)));
  twice({ u: table })[Symbol.dispose](); // blocks that the next run takes again
  trim();
  const before = memory().bytes;
  using result = twice({ u: table });
  const peak = memory().peakBytes - before;
  assert.ok(peak < 1.5 * bytes, `${peak} bytes at the peak, one gradient has ${bytes}`);
  scope(() => {
    // Last lookup first, each on top of what is there.
    const wanted = embeddingBackward(b!, { weight: table }, embedding(a!, { weight: table }));
    embeddingBackward(a!, { weight: table }, embedding(b!, { weight: table }), { out: wanted, accumulate: true });
    assert.deepEqual(result.grads.u.readSync(), wanted.readSync());
  });
  a!.dispose();
  b!.dispose();
});

test("a table that is also the weight of the logits has the sum of both gradients", () => {
  const check = { shapes: [[7, 4]], values: [normal(28, 1)] };
  using ids = tensor(cpu, [5], Uint32Array.from([1, 0, 6, 1, 3])), targets = tensor(cpu, [5], Uint32Array.from([2, 1, 0, 6, 6]));
  assertGradients("tied", (w) => {
    const weight = w as unknown as Tensor<"f64", [7, 4]>;
    return crossEntropy(linear(embedding(ids, { weight }), { weight }), targets);
  }, check);
  // A gradient that another value shares is not written to: here both parameters get the one cotangent of the sum.
  using x = tensor(cpu, [7, 4], new Float32Array(28)), u = tensor(cpu, [7, 4], new Float32Array(28));
  using shared = valueAndGrad((p: { x: typeof x; u: typeof u }) => {
    const looked = embedding(ids, { weight: p.u });
    return add(sum(looked), sum(add(p.x, p.u)));
  })({ x, u });
  assert.deepEqual([...shared.grads.x.readSync()], new Array(28).fill(1));
  assert.deepEqual([...shared.grads.u.readSync()].map((v) => v - 1), [1, 2, 0, 1, 0, 0, 1].flatMap((n) => [n, n, n, n]));
});

test("embedding() gives the same bits on 1 to 8 workers and every instruction set", () => {
  scope(() => {
    const ids = Uint32Array.from(whole(500, 101, 5), (id) => id % 3 === 0 ? 7 : id);
    const c = Float32Array.from(normal(500 * 37, 6));
    const results = everyDevice().map((device) => {
      const weight = tensor(device, [101, 37], new Float32Array(101 * 37));
      return embeddingBackward(tensor(device, [500], ids), { weight }, tensor(device, [500, 37], c)).readSync();
    });
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

test("embedding() names the id that is out of range, and says what else is wrong; out stays as it was", () => {
  scope(() => {
    const weight = tensor(cpu, [3, 2], [0, 1, 10, 11, 20, 21]);
    const out = tensor(cpu, [2, 2], [7, 7, 7, 7]), dweight = tensor(cpu, [3, 2], [7, 7, 7, 7, 7, 7]);
    for (const wrong of [new Int32Array([0, -1]), new Int32Array([2, 3]), new Uint32Array([0, 2 ** 31])]) {
      const ids = tensor(cpu, [2], wrong as Uint32Array<ArrayBuffer>);
      refuses(() => embedding(ids, { weight }, { out }), "RangeError", `embedding: ids[1] is ${wrong[1]}, must be from 0 to 2`);
      refuses(
        () => embeddingBackward(ids, { weight }, out, { out: dweight }),
        "RangeError",
        `embeddingBackward: ids[1] is ${wrong[1]}, must be from 0 to 2`,
      );
    }
    const matrix = tensor(cpu, [2, 2], new Int32Array([0, 1, 5, 0]));
    refuses(() => embedding(matrix, { weight }), "RangeError", "embedding: ids[1, 0] is 5, must be from 0 to 2");
    const ids = tensor(cpu, [2], new Uint32Array([0, 1]));
    refuses(() => embedding(weight as never, { weight }), "TypeError", "embedding: ids is f32, must be i32 or u32");
    refuses(() => embedding(ids, weight as never), "TypeError", "embedding: weight must be a tensor, got undefined");
    refuses(
      () => embedding(ids, { weight: tensor(cpu, [2], [1, 2]) as never }),
      "RangeError",
      "embedding: weight is [2], must be [vocabulary, width]",
    );
    refuses(
      () => embeddingBackward(ids, { weight }, tensor(cpu, [2, 3], [1, 2, 3, 4, 5, 6]) as never, { out: dweight }),
      "RangeError",
      "embeddingBackward: dy is [2, 3], must be [2, 2]",
    );
    ids.dispose();
    refuses(() => embedding(ids, { weight }, { out }), "TypeError", "embedding: ids was disposed");
    for (const t of [out, dweight]) assert.ok(t.readSync().every((v) => v === 7));
  });
});

type Table = Tensor<"f32", [number, number]>;

/** Ids of which few are frequent, as in text. */
function skewed(count: number, limit: number, place: number): number[] {
  return whole(count, limit, place).map((id, i) => i % 3 === 0 ? id % 5 % limit : id);
}

gpuTest("embedding() on a GPU has the bits of the CPU, forward and backward, for every width, views and both kinds of ids", (gpu) => {
  for (const width of [...lengths, 255, 257]) {
    for (const count of [0, 1, 30, 300]) {
      assertAsOnCpu(gpu, `${count} of width ${width}`, (device) => {
        const vocabulary = 61, ids = skewed(count, vocabulary, width + count);
        const table = Float32Array.from(normal(vocabulary * width, 1)), c = Float32Array.from(normal(count * width, 2));
        const weight = of(device, [vocabulary, width], table, "f32") as Table, dy = of(device, [count, width], c, "f32") as Table;
        const signed = tensor(device, [count], Int32Array.from(ids)), tokens = tensor(device, [count], Uint32Array.from(ids));
        const canvas = tensor(device, [vocabulary, width + 4], new Float32Array(vocabulary * (width + 4)).fill(7));
        embeddingBackward(tokens, { weight }, dy, { out: slice(canvas as never, 1, 1, width + 1) as never });
        return {
          y: embedding(tokens, { weight }),
          signed: embedding(signed, { weight: strided(device, [vocabulary, width], table, "f32") as Table }),
          dweight: embeddingBackward(signed, { weight }, dy),
          gaps: embeddingBackward(tokens, { weight }, strided(device, [count, width], c, "f32") as Table),
          turned: embeddingBackward(tokens, { weight }, strided(device, [count, width], c, "f32", true) as Table),
          added: embeddingBackward(tokens, { weight }, dy, {
            out: of(device, [vocabulary, width], table, "f32") as Table,
            accumulate: true,
          }),
          canvas,
        };
      }, 0);
    }
  }
});

gpuTest("embedding() on a GPU sums rows in the order of the tokens across all the parts that it sorts", (gpu) => {
  for (const count of [255, 256, 257, 8193]) {
    assertAsOnCpu(gpu, `${count}`, (device) => {
      const ids = tensor(device, [count], Uint32Array.from(skewed(count, 1000, 3)));
      const weight = tensor(device, [1000, 2], new Float32Array(2000)),
        dy = tensor(device, [count, 2], Float32Array.from(normal(2 * count, 4)));
      return { y: embedding(ids, { weight }), dweight: embeddingBackward(ids, { weight }, dy as never) };
    }, 0);
  }
});

gpuTest("embedding() on a GPU passes the gradient on, of ids with several axes", (gpu) => {
  assertAsOnCpu(gpu, "gradient", (device) => {
    const ids = tensor(device, [4, 9], Uint32Array.from(skewed(36, 11, 1)));
    return gradientsOf(device, (weight) => embedding(ids, { weight: weight as Table }), [
      of(device, [11, 20], Float32Array.from(normal(220, 2)), "f32"),
    ]);
  });
});

gpuTest("embedding() on a GPU: an id outside the table gives NaN and no gradient, and touches nothing else", (gpu) => {
  const rows = (device: Device, list: Int32Array | Uint32Array) => {
    using ids = tensor(device, [list.length], list as Uint32Array<ArrayBuffer>);
    using whole = tensor(device, [5, 2], [7, 7, 0, 1, 10, 11, 20, 21, 7, 7]), out = tensor(device, [5, 2], new Float32Array(10).fill(7));
    using weight = slice(whole, 0, 1, 4) as unknown as Table, dweight = slice(out, 0, 1, 4) as unknown as Table;
    using dy = tensor(device, [list.length, 2], Float32Array.from({ length: 2 * list.length }, (_, i) => i + 1)) as unknown as Table;
    using y = embedding(ids, { weight });
    embeddingBackward(ids, { weight }, dy, { out: dweight });
    return [[...y.readSync()], [...out.readSync()]];
  };
  const wanted = [[20, 21, NaN, NaN, 0, 1, NaN, NaN], [7, 7, 5, 6, 0, 0, 1, 2, 7, 7]];
  assert.deepEqual(rows(gpu, new Int32Array([2, -1, 0, 3])), wanted);
  assert.deepEqual(rows(gpu, new Uint32Array([2, 2 ** 31, 0, 2 ** 32 - 1])), wanted);
  using weight = tensor(gpu, [2, 2], new Float64Array(4)), ids = tensor(gpu, [1], new Uint32Array(1));
  assert.throws(() => embedding(ids, { weight }), { name: "UnsupportedError" });
});
