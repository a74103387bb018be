import assert from "node:assert/strict";
import { test } from "node:test";
import {
  adamW,
  add,
  attention,
  cpu,
  ema,
  explain,
  keep,
  keyValueCache,
  matmul,
  memory,
  mul,
  ones,
  random,
  save,
  scope,
  slice,
  sum,
  type Tensor,
  transpose,
  treeLeaves,
  valueAndGrad,
  zeros,
} from "../mod.ts";
import { childJson } from "./child.ts";

const one = () => ones(cpu, [2]);
/** Tensors of this thread that no scope frees; other threads do not show here. */
const outside = () => memory().outsideScopes;

test("scope() frees what was made inside and returns what the body returns", () => {
  const before = outside();
  let inner: Tensor | undefined;
  const y = scope(() => {
    inner = one();
    return add(inner as Tensor<"f32", [2]>, one());
  });
  assert.equal(inner!.disposed, true);
  assert.equal(y.disposed, false);
  assert.deepEqual([...y.readSync()], [2, 2]);
  assert.equal(outside() - before, 1);
  y.dispose();
  assert.equal(outside(), before);
  assert.equal(scope(() => 7), 7);
  assert.equal(scope(() => undefined), undefined);
  assert.equal(scope(() => null), null);
});

test("scope() lets out tensors in arrays, tuples and plain objects, and only those", () => {
  class Holder {
    readonly tensor: Tensor;
    constructor(tensor: Tensor) {
      this.tensor = tensor;
    }
  }
  const result = scope(() => {
    const made = Array.from({ length: 7 }, one);
    const bare: Record<string, Tensor> = Object.create(null);
    bare.x = made[3]!;
    return {
      single: made[0]!,
      list: [made[1]!, [made[2]!, bare]] as const,
      nothing: null,
      missing: undefined,
      number: 3,
      twice: [made[0]!, made[0]!],
      text: "abc",
      inClass: new Holder(made[4]!),
      inMap: new Map([["x", made[5]!]]),
      lost: made[6]!.disposed,
    };
  });
  const { single, list, inClass, inMap } = result;
  for (const t of [single, list[0], list[1][0], list[1][1].x!]) {
    assert.equal(t.disposed, false);
    t.dispose();
  }
  // A class or a Map is not looked into, as the documentation says.
  assert.equal(inClass.tensor.disposed, true);
  assert.equal(inMap.get("x")!.disposed, true);
});

test("scope() nests: what an inner one lets out belongs to the outer one", () => {
  const before = outside();
  const seen: Tensor[] = [];
  const kept = scope(() => {
    const a = scope(() => {
      const b = scope(() => {
        seen.push(one());
        return one();
      });
      seen.push(b);
      return [b, one()] as const;
    });
    seen.push(a[1]);
    assert.deepEqual(seen.map((t) => t.disposed), [true, false, false]);
    assert.equal(outside(), before, "a scope owns them all");
    return a[0];
  });
  assert.deepEqual(seen.map((t) => t.disposed), [true, false, true]);
  assert.equal(outside() - before, 1);
  kept.dispose();
  assert.equal(outside(), before);
});

test("scope() that throws frees everything, and the scope around goes on", () => {
  const before = outside();
  const seen: Tensor[] = [];
  scope(() => {
    const outer = one();
    assert.throws(
      () =>
        scope(() => {
          seen.push(one());
          scope(() => {
            seen.push(one());
            throw new Error("from inside");
          });
        }),
      /from inside/,
    );
    assert.deepEqual(seen.map((t) => t.disposed), [true, true]);
    assert.equal(outer.disposed, false);
    seen.push(outer, one());
  });
  assert.ok(seen.every((t) => t.disposed));
  assert.equal(outside(), before);
  // Outside again: nothing frees this but we.
  const free = one();
  assert.equal(outside() - before, 1);
  free.dispose();
});

test("scope() does not free what was made before it, nor what is disposed inside twice", () => {
  using x = one();
  scope(() => x);
  scope(() => {
    using inner = one();
    inner.dispose();
    void x.shape;
  });
  assert.equal(x.disposed, false);
});

test("scope() that returns a disposed tensor returns it disposed, and the count stays right", () => {
  const before = outside();
  const t = scope(() => {
    const t = one();
    t.dispose();
    return t;
  });
  assert.equal(t.disposed, true);
  assert.equal(outside(), before);
  keep(t);
  assert.equal(outside(), before);
});

test("scope() follows data that holds itself once", () => {
  interface Ring {
    tensor: Tensor;
    self?: Ring;
    list: unknown[];
  }
  const ring = scope(() => {
    const ring: Ring = { tensor: one(), list: [] };
    ring.self = ring;
    ring.list.push(ring.list, ring);
    return ring;
  });
  assert.equal(ring.tensor.disposed, false);
  ring.tensor.dispose();
});

test("scope() rejects an async body at run time, frees its tensors and leaves no rejection behind", async () => {
  const before = outside();
  let inside: Tensor | undefined;
  const body = async () => {
    inside = one();
    await Promise.resolve();
    inside.readSync(); // it was freed: this rejects, and nobody listens
  };
  assert.throws(() => scope(body as never), { name: "TypeError", message: /scope: the body must not be async/ });
  assert.equal(inside!.disposed, true);
  assert.throws(() => scope((() => ({ then() {} })) as never), /must not be async/);
  assert.equal(outside(), before);
  await new Promise((resolve) => setTimeout(resolve, 5)); // an unhandled rejection would fail this test
});

test("keep() lets a tensor out of every scope", () => {
  const before = outside();
  const seen: Tensor[] = [];
  scope(() => {
    scope(() => {
      seen.push(keep(one()));
    });
    assert.equal(outside() - before, 1);
  });
  assert.equal(seen[0]!.disposed, false);
  assert.equal(keep(seen[0]!), seen[0]);
  assert.equal(outside() - before, 1);
  // A kept tensor that a scope returns stays outside of the scope around.
  const same = scope(() => {
    scope(() => seen[0]!);
    return 1;
  });
  assert.equal(same, 1);
  assert.equal(seen[0]!.disposed, false);
  seen[0]!.dispose();
  assert.equal(outside(), before);
  for (const wrong of [undefined, null, 3, {}, [seen[0]]]) {
    assert.throws(() => keep(wrong as never), { name: "TypeError", message: /^keep: x must be a tensor, got / });
  }
});

test("using frees at the end of its block, also when the block throws", () => {
  let seen: Tensor | undefined;
  {
    using x = one();
    seen = x;
    assert.equal(x.disposed, false);
  }
  assert.equal(seen.disposed, true);
  assert.throws(() => {
    using x = one();
    seen = x;
    throw new Error("out");
  }, /out/);
  assert.equal(seen.disposed, true);
});

test("a long loop in a scope holds on to nothing that it disposed", { timeout: 60_000 }, async () => {
  const { grown, tensors } = await childJson(
    `
    import { cpu, memory, scope, ones } from "tilework";
    import { collect } from "tilework/ffi/library.ts";
    import process from "node:process";
    const heap = () => { collect(); return process.memoryUsage().heapUsed; };
    scope(() => {
      const first = ones(cpu, [1]);
      const loop = (n) => { for (let i = 0; i < n; i++) ones(cpu, [1]).dispose(); };
      loop(5000);
      const before = heap();
      loop(200_000);
      console.log(JSON.stringify({ grown: heap() - before, tensors: memory().tensors }));
      first.readSync();
    });`,
    { flags: ["-A", "--v8-flags=--expose-gc"] },
  ) as { grown: number; tensors: number };
  assert.equal(tensors, 1);
  assert.ok(grown < 8 * 2 ** 20, `${grown} bytes for 200 000 tensors`);
});

test("a scope in a loop keeps the number of tensors and the memory constant", { timeout: 60_000 }, async () => {
  const steps = await childJson(`
    import { add, cpu, memory, scope, zeros } from "tilework";
    const seen = [];
    let state = zeros(cpu, [1000]);
    for (let i = 0; i < 50; i++) {
      const next = scope(() => add(add(state, state), add(state, state)));
      state.dispose();
      state = next;
      const { tensors, bytes, keptBytes, outsideScopes } = memory();
      seen.push([tensors, bytes, keptBytes, outsideScopes].join());
    }
    console.log(JSON.stringify([...new Set(seen.slice(2))]));`) as string[];
  assert.equal(steps.length, 1, steps.join(" | "));
  assert.match(steps[0]!, /^1,\d+,\d+,1$/);
});

test("tensors outside any scope are counted", () => {
  const before = outside();
  const made = [zeros(cpu, [1]), zeros(cpu, [1]), scope(() => zeros(cpu, [1]))];
  assert.equal(outside() - before, 3);
  for (const t of made) t.dispose();
  assert.equal(outside(), before);
});

test("the bytes of tensors outside any scope are counted, views as nothing", () => {
  const bytes = () => memory().outsideBytes;
  const before = bytes();
  const x = zeros(cpu, [100, 10]), f64 = ones(cpu, [3], "f64");
  assert.equal(bytes() - before, 4024);
  const view = transpose(x);
  assert.equal(bytes() - before, 4024);
  const [returned, kept] = scope(() => {
    zeros(cpu, [1000]);
    assert.equal(bytes() - before, 4024);
    return [ones(cpu, [2]), keep(ones(cpu, [5]))];
  });
  assert.equal(bytes() - before, 4024 + 8 + 20);
  for (const t of [x, f64, view, returned!, kept!]) t.dispose();
  assert.equal(bytes(), before);
});

// ── What became of a tensor ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every kind of use of a tensor `x` that is freed says the same of it. */
async function saysOf(x: Tensor, fate: string): Promise<void> {
  const any = x as Tensor<"f32">;
  using other = ones(cpu, [2]);
  const uses: [string, () => unknown][] = [
    ["read: x", () => x.readSync()],
    ["item: x", () => x.itemSync()],
    ["write: x", () => any.write([1, 2])],
    ["to: x", () => x.to(cpu)],
    ["add: a", () => add(any, other as Tensor<"f32">)],
    ["add: b", () => add(other as Tensor<"f32">, any)],
    ["add: out", () => add(other, other, { out: x as typeof other })],
    ["transpose: x", () => transpose(x, [0])],
    ["slice: x", () => slice(x, 0, 0, 1)],
    ["treeLeaves: tree.layers.0", () => treeLeaves({ layers: [x] })],
    ["adamW: params.w", () => adamW({ w: any })],
  ];
  for (const [start, use] of uses) assert.throws(use, { name: "TypeError", message: `${start} ${fate}` });
  await assert.rejects(x.read(), { name: "TypeError", message: `read: x ${fate}` });
  await assert.rejects(x.item(), { name: "TypeError", message: `item: x ${fate}` });
  await assert.rejects(save("/nowhere/x.safetensors", { w: x }), { name: "TypeError", message: `save: tree.w ${fate}` });
}

test("what left its scope in a Map, a Set, a class or a variable says that the scope ended", async () => {
  class Holder {
    readonly x: Tensor;
    constructor(x: Tensor) {
      this.x = x;
    }
  }
  let variable: Tensor | undefined;
  const { map, set, holder } = scope(() => {
    variable = one();
    return { map: new Map([["x", one()]]), set: new Set([one()]), holder: new Holder(one()) };
  });
  const fate = "was freed when its scope ended: return it from the scope, alone or in arrays and plain objects, or keep() it";
  for (const x of [map.get("x")!, [...set][0]!, holder.x, variable!]) {
    await saysOf(x, fate);
    assert.equal(keep(x), x);
    await saysOf(x, fate);
    x.dispose();
    await saysOf(x, fate);
  }
  const thrown: Tensor[] = [];
  assert.throws(() =>
    scope(() => {
      thrown.push(one());
      throw new Error("from inside");
    }), /from inside/);
  await saysOf(thrown[0]!, fate);
});

test("what dispose and using freed says so, in a scope too", async () => {
  const x = one();
  x.dispose();
  await saysOf(x, "was disposed");
  let inner: Tensor | undefined;
  scope(() => {
    using y = one();
    inner = y;
  });
  await saysOf(inner!, "was disposed");
  scope(() => {
    inner = one();
    inner.dispose();
  });
  await saysOf(inner!, "was disposed");
});

test("what an optimizer, an average, a stream, a cache or a result held is said to have gone with it", async () => {
  const params = { w: one() };
  const optimizer = adamW(params), average = ema(params), rng = random(cpu, 1);
  const cache = keyValueCache(cpu, { heads: 1, capacity: 4, width: 2 });
  const first = cache.keys;
  using k = ones(cpu, [1, 1, 1, 2]);
  cache.append(k, k);
  assert.throws(() => attention(k, first as never, cache.values), {
    message: "attention: k was freed when the cache that it showed changed: take keys and values from the cache again",
  });
  const last = cache.keys;
  const result = valueAndGrad((p: typeof params) => sum(p.w))(params);
  const uses = [optimizer, average, rng, cache, result];
  for (const use of uses) use[Symbol.dispose]();
  await saysOf(optimizer.state.m.w, "was freed with the adamW optimizer that it belongs to");
  await saysOf(average.average.w, "was freed with the ema that it belongs to");
  await saysOf(result.grads.w, "was freed with the result of valueAndGrad that it belongs to");
  await saysOf(result.value, "was freed with the result of valueAndGrad that it belongs to");
  assert.throws(() => last.readSync(), { message: "read: x was freed with the cache that it belongs to" });
  assert.throws(() => rng.state.readSync(), { message: "read: x was freed with its random stream" });
  assert.throws(() => optimizer.step(params, params, 0.1), { name: "TypeError", message: "adamW: the optimizer was disposed" });
  assert.throws(() => average.update(params), { name: "TypeError", message: "ema: the average was disposed" });
  params.w.dispose();
});

test("what a loss or explain made and did not return says so", async () => {
  using w = one();
  let inside: Tensor | undefined;
  const loss = valueAndGrad((p: { w: typeof w }) => {
    const squares = mul(p.w, p.w);
    inside = squares as Tensor;
    return sum(squares);
  });
  using _ = loss({ w });
  await saysOf(inside!, "was freed when its loss ended: return it beside the loss, [loss, x], or keep() it");
  explain(() => {
    using a = ones(cpu, [2, 2]);
    inside = keep(matmul(a, a)) as Tensor;
  });
  assert.throws(() => inside!.readSync(), { message: "read: x was made inside explain, which frees everything made there" });
});

// ── Forgotten tensors ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a loop without a scope that awaits its loss holds some hundred MiB of the gigabytes that it makes", { timeout: 60_000 }, async () => {
  const { peak, left } = await childJson(`
    import { add, cpu, memory, ones, sum } from "tilework";
    const x = ones(cpu, [1024, 1024]);
    let peak = 0;
    for (let i = 0; i < 700; i++) {
      const y = add(x, x);
      await sum(y).item();
      peak = Math.max(peak, memory().bytes);
    }
    console.log(JSON.stringify({ peak: peak / 2 ** 20, left: memory().outsideScopes }));`) as { peak: number; left: number };
  assert.ok(peak < 550, `${peak} MiB of 2800`);
  assert.ok(left < 300, `${left} tensors of 1401`);
});

const leaking = `
  import { add, cpu, memory, ones, scope } from "tilework";
  const x = ones(cpu, [4]); // line 3
  function forget() {
    return add(x, x); // line 5
  }
  const held = [];
  for (let i = 0; i < 3; i++) held.push(forget()); // line 8
  ones(cpu, [100]).dispose();
  held.push(scope(() => { // line 10
    ones(cpu, [200]);
    return add(x, x); // line 12
  }));
  console.log(JSON.stringify(memory().leaks));`;

test("TILEWORK_LEAKS names the places that made tensors outside scopes, without other permissions than the library's", {
  timeout: 60_000,
}, async () => {
  const env = { TILEWORK_LEAKS: "1", BUN_JSC_useTailCalls: "0" }; // with tail calls Bun forgets who called add
  const leaks = await childJson(leaking, { env, flags: ["--no-prompt", "--allow-ffi"] }) as Record<
    string,
    unknown
  >[];
  const seen = leaks.map(({ at, tensors, bytes }) => [String(at).match(/main\.ts:\d+/g), tensors, bytes]);
  assert.deepEqual(seen, [
    [["main.ts:5", "main.ts:8"], 3, 48],
    [["main.ts:3"], 1, 16],
    [["main.ts:12", "main.ts:10"], 1, 16],
  ]);
  for (const { at } of leaks) assert.doesNotMatch(String(at), /core\/|ops\//);
});

test("without TILEWORK_LEAKS no places are remembered", { timeout: 60_000 }, async () => {
  for (const env of [{}, { TILEWORK_LEAKS: "0" }, { TILEWORK_LEAKS: "" }] as Record<string, string>[]) {
    assert.equal(await childJson(leaking, { env }), null);
  }
});
