import assert from "node:assert/strict";
import { test } from "node:test";
import { add, cpu, keep, memory, ones, scope, type Tensor, zeros } from "../mod.ts";
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
    constructor(readonly tensor: Tensor) {}
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
    const heap = () => { globalThis.gc ? globalThis.gc() : Bun.gc(true); return process.memoryUsage().heapUsed; };
    import process from "node:process";
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
