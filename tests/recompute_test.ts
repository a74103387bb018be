// checkpoint(): what a loss does not keep and computes again.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  checkpoint,
  cpu,
  dropout,
  gelu,
  layerNorm,
  linear,
  linearInit,
  memory,
  mul,
  prepack,
  type Random,
  random,
  relu,
  scale,
  scope,
  sum,
  type Tensor,
  tensor,
  treeLeaves,
  treeMap,
  trim,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { assertSameBits, randomTensor } from "./harness.ts";

type X = Tensor<"f32", number[]>;
type Layer = { norm: X; up: X; down: X };

const make = (layers: number, width: number, hidden: number): Layer[] =>
  Array.from({ length: layers }, (_, i) => ({
    norm: randomTensor([width], "f32", 3 * i),
    up: randomTensor([hidden, width], "f32", 3 * i + 1),
    down: randomTensor([width, hidden], "f32", 3 * i + 2),
  }));

/** A residual block, with dropout where it is given a stream. */
function block(x: X, p: Layer, rng?: Random): X {
  const h = gelu(linear(layerNorm(x, { weight: p.norm } as never), { weight: p.up } as never));
  const kept = rng === undefined ? h : dropout(mul(h, rng.uniform([...h.shape]) as never), rng, { rate: 0.25 });
  return add(x, linear(kept as never, { weight: p.down } as never) as never) as unknown as X; // shapes that the compiler does not know
}

const identity = <F>(f: F): F => f;
const loss = (x: X): Tensor<"f32", []> => sum(mul(x, x)) as Tensor<"f32", []>;

/** The bits of everything that a loss gives. */
function bits<P>(f: (params: P) => Tensor<"f32", []>, params: P): number[][] {
  using result = valueAndGrad(f as never)(params as never) as unknown as { value: Tensor; grads: never } & Disposable; // P is any tree
  return [[...result.value.readSync()], ...treeLeaves(result.grads).map(([, g]) => [...g.readSync()])];
}

test("checkpoint() changes no bit of value and gradients: layers, trees, values used within and beyond it", () => {
  scope(() => {
    const x = randomTensor([6, 8], "f32", 50), params = { x, layers: make(3, 8, 12) };
    const forms: Record<string, (wrap: typeof identity) => (p: typeof params) => Tensor<"f32", []>> = {
      "each layer": (wrap) => (p) => loss(p.layers.reduce((h, layer) => wrap(block)(h, layer), p.x)),
      "the whole model, arguments in a tree": (wrap) => (p) =>
        wrap((all: { given: [typeof p] }) => loss(all.given[0].layers.reduce((h, layer) => block(h, layer), all.given[0].x)))({
          given: [p],
        }),
      // x is used before, within (twice) and after: its gradient is a sum of many, whose order must be the same.
      "a value used everywhere": (wrap) => (p) => {
        const before = relu(p.x),
          inside = wrap((a: X, b: X, q: Layer) => add(mul(a, b as never), block(a, q) as never))(p.x, p.x, p.layers[0]!);
        const rest = p.layers.slice(1).reduce((h, layer) => block(h, layer), inside as X);
        return loss(add(add(before, inside as never), add(mul(p.x, rest as never), rest as never) as never) as X);
      },
      nested: (wrap) => (p) => {
        const pair = wrap((h: X, a: Layer, b: Layer) => wrap(block)(wrap(block)(h, a), b));
        return loss(wrap((h: X, all: Layer[]) => block(pair(h, all[0]!, all[1]!), all[2]!))(p.x, p.layers));
      },
      "several results, one of them unused, one an argument": (wrap) => (p) => {
        const f = wrap((h: X, layers: Layer[]) => {
          const first = block(h, layers[0]!);
          return { first, deep: [block(first, layers[1]!), block(h, layers[2]!)], same: h, note: "kept" };
        });
        const { first, deep, same, note } = f(p.x, p.layers);
        assert.equal(note, "kept");
        return loss(add(add(first, deep[0] as never), mul(same, block(same, p.layers[2]!) as never) as never) as X);
      },
    };
    for (const [name, form] of Object.entries(forms)) {
      const plain = bits(form(identity), params), again = bits(form(checkpoint as typeof identity), params);
      assert.equal(again.length, plain.length, name);
      plain.forEach((values, i) => assertSameBits(again[i]!, values, `${name}, ${i}`));
    }
  });
});

test("checkpoint() draws the same random numbers again, and the stream goes on as if it had drawn once", () => {
  scope(() => {
    const params = { x: randomTensor([6, 8], "f32", 50), layers: make(3, 8, 12) };
    const run = (wrap: typeof identity) => {
      using rng = random(cpu, 5);
      const f = (p: typeof params) => {
        rng.uniform([3]).dispose(); // the stream has moved before the first layer
        const layer = wrap((h: X, q: Layer) => block(block(h, q, rng), q, rng)); // closed over
        const given = wrap((h: X, q: Layer, stream: Random) => block(h, q, stream));
        return loss(given(layer(layer(p.x, p.layers[0]!), p.layers[1]!), p.layers[2]!, rng));
      };
      return [...bits(f, params), [...rng.normal([4]).readSync()], [...rng.state.readSync()]];
    };
    const plain = run(identity), again = run(checkpoint as typeof identity);
    plain.forEach((values, i) => assertSameBits(again[i]!, values, String(i)));
  });
});

test("checkpoint() sets back what the function writes on its way, and afterwards gives it its later value again", () => {
  scope(() => {
    const params = { x: tensor(cpu, [2], [3, 5]) };
    const counter = tensor(cpu, [], [1]);
    let runs = 0;
    const f = checkpoint((x: typeof params.x) => {
      runs++;
      const c = counter.itemSync();
      counter.write([c + 1]);
      counter.write([c + 2]);
      return scale(mul(x, x), c);
    });
    const { grads } = valueAndGrad((p: typeof params) => sum(add(f(p.x), f(p.x))))(params);
    assert.deepEqual([...grads.x.readSync()], [2 * 3 * (1 + 3), 2 * 5 * (1 + 3)]);
    assert.equal(counter.itemSync(), 5);
    assert.equal(runs, 4);
  });
});

test("checkpoint() keeps memory for one layer at a time", () => {
  scope(() => {
    const layers = 12, rows = 256, width = 16, hidden = 256;
    const x = randomTensor([rows, width], "f32", 50), params = { layers: make(layers, width, hidden) };
    const peak = (wrap: typeof identity) => {
      const f = valueAndGrad((p: typeof params) => loss(p.layers.reduce((h, layer) => wrap(block)(h, layer), x)));
      trim();
      const before = memory().bytes;
      f(params)[Symbol.dispose]();
      return memory().peakBytes - before;
    };
    const plain = peak(identity), again = peak(checkpoint as typeof identity);
    // A layer keeps its input, the norm's result and two hidden values; with checkpoints the inputs of all, and the rest of one.
    const hiddenBytes = 4 * rows * hidden;
    assert.ok(plain > 2 * layers * hiddenBytes, `${plain} bytes without`);
    assert.ok(again < 8 * hiddenBytes, `${again} bytes with checkpoints, ${plain} without`);
  });
});

test("checkpoint() outside of a loss just runs, and of constants nothing is recorded", () => {
  scope(() => {
    const x = tensor(cpu, [2], [3, 5]);
    let runs = 0;
    const square = checkpoint((a: typeof x) => (runs++, mul(a, a)));
    assert.deepEqual([...square(x).readSync()], [9, 25]);
    const { grads } = valueAndGrad((p: { x: typeof x }) => sum(mul(p.x, square(x))))({ x: tensor(cpu, [2], [1, 1]) });
    assert.deepEqual([...grads.x.readSync()], [9, 25]);
    assert.equal(runs, 2);
  });
});

test("checkpoint() takes constants beside: labels, numbers, a prepacked weight, a result that is no one's", () => {
  scope(() => {
    const x = randomTensor([4, 8], "f32", 1),
      w = randomTensor([5, 8], "f32", 2),
      constant = tensor(cpu, [4, 5], new Float32Array(20).fill(2));
    const fast = prepack(w);
    const run = (wrap: typeof identity) => {
      const f = wrap((a: X, b: X, k: { factor: number; c: typeof constant }) => ({
        y: scale(mul(linear(a, { weight: b } as never), k.c as never), k.factor),
        constant,
      }));
      return bits((p: { x: X }) => {
        const { y, constant: c } = f(p.x, fast as never, { factor: 3, c: constant });
        return sum(mul(y, c as never)) as Tensor<"f32", []>;
      }, { x });
    };
    const plain = run(identity), again = run(checkpoint as typeof identity);
    plain.forEach((values, i) => assertSameBits(again[i]!, values));
    // The constant has stayed one.
    const { grads } = valueAndGrad((p: { x: X }) => add(sum(p.x), sum(constant)) as Tensor<"f32", []>)({ x });
    assertSameBits(grads.x.readSync(), new Array(32).fill(1));
  });
});

test("checkpoint() says what is wrong, and leaves nothing behind", () => {
  const x = tensor(cpu, [2], [3, 5]), y = tensor(cpu, [2], [1, 2]);
  const both = (f: (p: { x: typeof x; y: typeof y }) => unknown) =>
    valueAndGrad((p: { x: typeof x; y: typeof y }) => sum(mul(f(p) as typeof x, p.y)))({ x, y });
  const square = valueAndGrad((p: { x: typeof x }) => sum(mul(p.x, p.x)));
  let calls = 0;
  const before = memory().tensors;
  const cases: [(p: { x: typeof x; y: typeof y }) => unknown, RegExp][] = [
    [
      (p) => checkpoint((a: typeof x) => mul(a, p.y))(p.x),
      /checkpoint: fn uses params\.y \[2\] that a gradient flows into and that is not among its/,
    ],
    [(p) => checkpoint((a: typeof x) => mul(a, p.x))(p.x), /not among its arguments/],
    [(p) => checkpoint(() => mul(p.x, p.x))(), /not among its arguments/],
    [(p) => checkpoint((_: typeof x) => 3 as unknown as typeof x)(p.x), /checkpoint: fn returned 3, must be a tensor, or hold some/],
    [
      (p) => checkpoint((a: typeof x) => (calls++ % 2 === 0 ? mul(a, a) : [mul(a, a), a]) as typeof x)(p.x),
      /fn returned 1 tensors, but 2 when/,
    ],
    [
      (p) => checkpoint((a: typeof x) => (calls++ % 2 === 0 ? mul(a, a) : sum(a)) as typeof x)(p.x),
      /fn returned f32 \[2\], but f32 \[\] when it ran/,
    ],
    [
      (p) => checkpoint((a: typeof x) => square({ x: a }).grads.x)(p.x),
      /valueAndGrad: called inside a loss; a gradient of a gradient is not supp/,
    ],
    [(p) => checkpoint((a: typeof x) => mul(a, a, { out: y }))(p.x), /out cannot be given while gradients are recorded/],
    [(p) => checkpoint((a: typeof x) => Promise.resolve(a) as unknown as typeof x)(p.x), /must not be async/],
    [
      (p) =>
        checkpoint((a: typeof x): typeof x => {
          if (calls++ % 2 === 1) throw new Error("stop");
          return mul(a, a);
        })(p.x),
      /^Error: stop$/,
    ],
  ];
  for (const [f, message] of cases) {
    calls = 0;
    assert.throws(() => both(f), message);
    assert.equal(memory().tensors, before, String(message));
  }
  assert.throws(() => checkpoint(3 as never), { name: "TypeError", message: "checkpoint: fn must be a function, got 3" });
  const loop: { self?: unknown } = {};
  loop.self = loop;
  assert.throws(() => both((p) => checkpoint((a: typeof x, _: unknown) => mul(a, a))(p.x, loop)), /contains itself/);
  // The tape is closed, and a good one works after all of these.
  using good = both((p) => checkpoint((a: typeof x) => mul(a, a))(p.x));
  assert.deepEqual([...(good.grads as { x: Tensor }).x.readSync()], [2 * 3 * 1, 2 * 5 * 2]);
  x.dispose();
  y.dispose();
});

test("a model trained with checkpoints holds no memory from step to step", () => {
  using rng = random(cpu, 1);
  const params = { up: linearInit(rng, 3, 4), down: linearInit(rng, 4, 3) };
  const mlp = checkpoint((h: Tensor<"f32", [2, 3]>, p: typeof params) => linear(mul(gelu(linear(h, p.up)), rng.uniform([2, 4])), p.down));
  const step = () =>
    scope(() => {
      const x = zeros(cpu, [2, 3]);
      valueAndGrad((p: typeof params) => sum(mlp(mlp(x, p), p)))(params);
    });
  step();
  const before = memory();
  for (let i = 0; i < 20; i++) step();
  assert.deepEqual([memory().tensors <= before.tensors, memory().bytes <= before.bytes], [true, true]);
  treeMap(params, (x) => (x.dispose(), x));
});
