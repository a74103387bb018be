/** The tests that all activations share: a file of an op says what it computes, and what special inputs give. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, type Device, type Float, scope, slice, type Tensor, tensor, UnsupportedError } from "../mod.ts";
import { assertAsOnCpu, gpuTest, gradientsOf } from "./gpu_harness.ts";
import { numbers } from "./harness.ts";
import { both, close, differences, dot, everyDevice, framed, lengths, normal, of, refuses, strided, taped } from "./row_harness.ts";

type Any = Tensor<Float, number[]>;

/** What f32 and f64 are allowed beside the reference in f64. */
const limits = { f32: 1e-6, f64: 1e-13 };

export interface Activation {
  /** As errors have it. */
  name: string;
  /** For the names of the tests, where the op has several forms. */
  form?: string;
  run: (x: Any, options?: { out?: Any }) => Any;
  backward: (x: Any, dy: Any, options?: { out?: Any }) => Any;
  /** In f64. */
  reference: (x: number) => number;
  /** Of the random inputs. */
  deviation: number;
  /** x, the value and the slope there, as bits. A wanted +0 stands for either zero. */
  special: readonly (readonly [x: number, y: number, slope: number])[];
  /** A place where the slope is small, and that slope: a formula by the rounded result would lose its digits. */
  small?: readonly [x: number, slope: number];
}

export function testActivation({ name, form, run, backward, reference, deviation, special, small }: Activation): void {
  const title = form === undefined ? `${name}()` : `${name}() in its ${form} form`;

  test(`${title} is what f64 gives at every length, from dense tensors and views`, () => {
    for (const dtype of ["f32", "f64"] as const) {
      for (const n of lengths) {
        scope(() => {
          const data = both(normal(2 * n, n + 1, deviation))[dtype];
          const wanted = Float64Array.from(data, reference);
          for (const x of [of(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype), strided(cpu, [2, n], data, dtype, true)]) {
            close(run(x).readSync(), wanted, limits[dtype]);
          }
          const x = of(cpu, [2, n], data, dtype);
          run(x, { out: x });
          close(x.readSync(), wanted, limits[dtype]);
        });
      }
    }
  });

  test(`${title} has the gradient that central differences give`, () => {
    scope(() => {
      const n = 60;
      const x = Float64Array.from(normal(n, 1, deviation)), c = Float64Array.from(normal(n, 2));
      const wanted = differences((v) => dot(Float64Array.from(v, reference), c), x);
      const input = of(cpu, [n], x, "f64"), dy = of(cpu, [n], c, "f64");
      close(backward(input, dy).readSync(), wanted, 1e-7);
      close(taped(() => run(input)).backward(dy)[0]!.readSync(), wanted, 1e-7);
      backward(input, dy, { out: dy });
      close(dy.readSync(), wanted, 1e-7);
      if (small === undefined) return;
      const slope = backward(tensor(cpu, [1], [small[0]]), tensor(cpu, [1], [1])).itemSync();
      assert.ok(Math.abs(slope / small[1] - 1) < 1e-6, `${slope}`);
    });
  });

  test(`${title} of special inputs`, () => {
    scope(() => {
      const x = tensor(cpu, [special.length], special.map(([x]) => x));
      const found = [run(x), backward(x, tensor(cpu, [special.length], special.map(() => 1)))];
      for (const [i, result] of found.entries()) {
        const wanted = special.map((row) => Math.fround(row[i + 1]!));
        assert.deepEqual([...result.readSync()].map((v, j) => Object.is(wanted[j], -0) ? v : v + 0), wanted);
      }
    });
  });

  test(`${title} gives the same bits on 1 to 8 workers and every instruction set`, () => {
    scope(() => {
      const data = Float32Array.from(normal(3001, 3, deviation)), c = Float32Array.from(normal(3001, 4));
      const results = everyDevice().map((device) => {
        const x = tensor(device, [3001], data);
        return [run(x), backward(x, tensor(device, [3001], c))].map((t) => t.readSync());
      });
      for (const result of results) assert.deepEqual(result, results[0]);
    });
  });

  gpuTest(`${title} on a GPU is that of the CPU at every length, from views, in place, and into views`, (gpu) => {
    for (const n of [...lengths, 127, 128, 255, 256, 257, 1000]) {
      scope(() => {
        const data = normal(2 * n, n + 1, deviation), c = normal(2 * n, 2);
        assertAsOnCpu(gpu, `${n}`, (device) => {
          const x: Any = tensor(device, [2, n], data), dy: Any = tensor(device, [2, n], c);
          const [view] = framed(device, [2, n], data),
            [out, whole] = framed(device, [2, n], c),
            [slope, slopes] = framed(device, [2, n], c);
          run(view, { out });
          backward(view, slope, { out: slope });
          const tape = taped(() => run(x));
          const results = { y: tape.out, dx: tape.backward(dy)[0]!, plain: backward(x, dy), whole, slopes };
          backward(x, dy, { out: dy });
          run(x, { out: x });
          return { ...results, x, dy };
        });
      });
    }
  });

  gpuTest(`${title} on a GPU is accurate in relation to each value, of special inputs too, and has no shader for f64`, (gpu) => {
    scope(() => {
      const xs = [
        ...special.map(([x]) => x),
        ...(small === undefined ? [] : [small[0]]),
        ...Array.from({ length: 4001 }, (_, i) => (i - 2000) / 100),
      ];
      const on = (device: Device) => {
        const x: Any = tensor(device, [xs.length], xs), ones: Any = tensor(device, [xs.length], xs.map(() => 1));
        return [run(x), backward(x, ones)].map((t) => t.readSync());
      };
      const [found, wanted] = [on(gpu), on(cpu)];
      // GELU's tanh form takes exp of numbers down to -80, whose last place is 7.6e-6.
      const tolerance = form === "tanh" ? 1e-5 : 1e-6;
      for (const [which, values] of wanted.entries()) {
        values.forEach((want, i) => {
          const got = found[which]![i]!;
          // A driver may take what is below the least normal number for 0 before it is multiplied. A slope that crosses 0 is compared with the
          // terms that cancel there, which are about 0.1.
          const near = which === 1 && Math.abs(want) < 0.1 && Math.abs(xs[i]!) < 2 ? 0.1 : 0;
          const good = Number.isFinite(want)
            ? Math.abs(got - want) <= tolerance * Math.max(near, Math.abs(want)) + 1e-35
            : Object.is(got, want);
          assert.ok(good, `${which === 0 ? "value" : "slope"} at ${xs[i]} is ${got}, the CPU has ${want}`);
        });
      }
      const x: Any = tensor(gpu, [2], new Float64Array([1, 2])), out: Any = tensor(gpu, [2], new Float64Array([7, 7]));
      assert.throws(() => run(x, { out }), UnsupportedError);
      assert.throws(() => backward(x, x, { out }), UnsupportedError);
      assert.deepEqual([...out.readSync()], [7, 7]);
    });
  });

  test(`${title} says what is wrong and leaves out as it was`, () => {
    scope(() => {
      const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
      refuses(() => run(tensor(cpu, [2], new Int32Array(2)) as never), "TypeError", `${name}: x is i32, must be f32 or f64`);
      refuses(() => run(tensor(cpu, [3], [1, 2, 3]), { out }), "RangeError", `${name}: out is [2], must be [3]`);
      refuses(() => backward(x, tensor(cpu, [2, 1], [1, 2]), { out }), "RangeError", `${name}Backward: dy is [2, 1], must be [2]`);
      refuses(() => taped(() => run(x, { out })), "TypeError", `${name}: out cannot be given while gradients are recorded`);
      x.dispose();
      refuses(() => run(x, { out }), "TypeError", `${name}: x was disposed`);
      assert.deepEqual([...out.readSync()], [7, 7]);
    });
  });
}

export interface Gated {
  /** As errors have it. */
  name: string;
  run: (gate: Any, up: Any, options?: { out?: Any }) => Any;
  backward: (gate: Any, up: Any, dy: Any) => { gate: Any; up: Any };
  /** In f64. */
  reference: (gate: number, up: number) => number;
}

export function testGated({ name, run, backward, reference }: Gated): void {
  test(`${name}() is what f64 gives at every length, from dense tensors and views`, () => {
    for (const dtype of ["f32", "f64"] as const) {
      for (const n of lengths) {
        scope(() => {
          const g = both(normal(3 * n, n + 1, 2))[dtype], u = both(normal(3 * n, n + 2, 2))[dtype];
          const wanted = Float64Array.from(g, (v, i) => reference(v, u[i]!));
          const gates = [of(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype), strided(cpu, [3, n], g, dtype, true)];
          const ups = [strided(cpu, [3, n], u, dtype), of(cpu, [3, n], u, dtype), strided(cpu, [3, n], u, dtype, true)];
          for (const [i, gate] of gates.entries()) close(run(gate, ups[i]!).readSync(), wanted, limits[dtype]);
        });
      }
    }
  });

  test(`${name}() has the gradients that central differences give`, () => {
    scope(() => {
      const n = 57;
      const [g, u, c] = [1, 2, 3].map((seed) => Float64Array.from(normal(n, seed, 2))) as [
        Float64Array<ArrayBuffer>,
        Float64Array<ArrayBuffer>,
        Float64Array<ArrayBuffer>,
      ];
      const loss = (g: Float64Array, u: Float64Array) => dot(Float64Array.from(g, (v, i) => reference(v, u[i]!)), c);
      const wanted = [differences((v) => loss(v, u), g), differences((v) => loss(g, v), u)];
      const gate = of(cpu, [n], g, "f64"), up = of(cpu, [n], u, "f64"), dy = of(cpu, [n], c, "f64");
      const found = backward(gate, up, dy);
      close(found.gate.readSync(), wanted[0]!, 1e-7);
      close(found.up.readSync(), wanted[1]!, 1e-7);
      for (const [i, t] of taped(() => run(gate, up)).backward(dy).entries()) close(t!.readSync(), wanted[i]!, 1e-7);
    });
  });

  test(`${name}() has the same gradients through views, whatever their strides`, () => {
    scope(() => {
      const [g, u, c] = [1, 2, 3].map((seed) => Float32Array.from(normal(3 * 5 * 7, seed, 2)));
      const shape = [3, 5, 7];
      const dense = (data: Float32Array<ArrayBuffer>) => of(cpu, shape, data, "f32");
      const turned = (data: Float32Array<ArrayBuffer>) => strided(cpu, shape, data, "f32", true);
      const wanted = backward(dense(g!), dense(u!), dense(c!));
      for (const [gate, up] of [[turned, turned], [turned, dense], [dense, turned]] as const) {
        const [x, y] = [gate(g!), up(u!)];
        const found = backward(x, y, turned(c!));
        const [dgate, dup] = taped(() => run(x, y)).backward(dense(c!));
        for (const t of [found.gate, dgate!]) assert.deepEqual(t.readSync(), wanted.gate.readSync());
        for (const t of [found.up, dup!]) assert.deepEqual(t.readSync(), wanted.up.readSync());
      }
    });
  });

  test(`${name}() gives the same bits on 1 to 8 workers and every instruction set`, () => {
    scope(() => {
      const data = [1, 2, 3].map((seed) => Float32Array.from(normal(41 * 53, seed)));
      const results = everyDevice().map((device) => {
        const [gate, up, dy] = data.map((d): Any => tensor(device, [41, 53], d));
        const g = backward(gate!, up!, dy!);
        return [run(gate!, up!), g.gate, g.up].map((t) => t.readSync());
      });
      for (const result of results) assert.deepEqual(result, results[0]);
    });
  });

  test(`${name}() says what is wrong and leaves out as it was`, () => {
    scope(() => {
      const x = tensor(cpu, [2], [1, 2]), out = tensor(cpu, [2], [7, 7]);
      refuses(() => run(x, tensor(cpu, [3], [1, 2, 3]), { out }), "RangeError", `${name}: up is [3], must be [2]`);
      refuses(() => run(x, tensor(cpu, [2], new Float64Array(2)), { out }), "TypeError", `${name}: up is f64, gate is f32`);
      refuses(() => backward(x, x, tensor(cpu, [1], [1])), "RangeError", `${name}Backward: dy is [1], must be [2]`);
      const gone = tensor(cpu, [2], [1, 2]);
      gone.dispose();
      refuses(() => run(x, gone, { out }), "TypeError", `${name}: up was disposed`);
      assert.deepEqual([...out.readSync()], [7, 7]);
    });
  });

  gpuTest(`${name}() on a GPU is as on the CPU, forward and backward, from views, into views and in place`, (gpu) => {
    for (const n of [...lengths, 255, 256, 257]) {
      assertAsOnCpu(gpu, `${n}`, (device) => {
        const data = [1, 2, 3].map((place) => Float32Array.from(normal(3 * n, n + place, 2)));
        const [gate, up, dy] = data.map((d) => of(device, [3, n], d, "f32")) as [Any, Any, Any];
        const gaps = data.map((d) => strided(device, [3, n], d, "f32")) as [Any, Any, Any];
        const turned = data.map((d) => strided(device, [3, n], d, "f32", true)) as [Any, Any, Any];
        const canvas = tensor(device, [3, n + 4], new Float32Array(3 * n + 12).fill(7)) as Any;
        run(gate, up, { out: slice(canvas as never, 1, 1, n + 1) as never });
        const from = [backward(gate, up, dy), backward(...gaps)];
        const forms = { dense: run(gate, up), gaps: run(gaps[0], gaps[1]), turned: run(turned[0], turned[1]), canvas };
        run(gate, up, { out: gate });
        return { ...forms, gate, ...Object.fromEntries(from.flatMap((g, i) => [[`dgate ${i}`, g.gate], [`dup ${i}`, g.up]])) };
      });
    }
  });

  gpuTest(`${name}() on a GPU takes extreme numbers as the CPU does, over more rows than a grid has groups`, (gpu) => {
    assertAsOnCpu(gpu, "extremes", (device) => {
      const all = [-Infinity, -3e38, -200, -17, -16, -1e-30, -0, 0, 1e-30, 16, 17, 200, 3e38, Infinity, NaN];
      const gate = tensor(device, [all.length], all) as Any, up = tensor(device, [all.length], all.map(() => 1)) as Any;
      const g = backward(gate, up, up);
      return { y: run(gate, up), gate: g.gate, up: g.up };
    }, 1e-6);
    assertAsOnCpu(gpu, "rows", (device) => {
      const [gate, up] = [1, 2].map((place) => strided(device, [66000, 2], Float32Array.from(numbers(132000, place)), "f32")) as [Any, Any];
      return { y: run(gate, up) };
    });
    using wide = tensor(gpu, [2], new Float64Array([1, 2])) as Tensor<"f64">;
    assert.throws(() => run(wide as Any, wide as Any, { out: wide as Any }), { name: "UnsupportedError" });
    assert.deepEqual([...wide.readSync()], [1, 2]);
  });

  gpuTest(`${name}() on a GPU passes gradients on`, (gpu) => {
    assertAsOnCpu(gpu, "gradients", (device) => {
      const inputs = [1, 2].map((place) => of(device, [5, 40], Float32Array.from(normal(200, place)), "f32"));
      return gradientsOf(device, (gate, up) => run(gate!, up!), inputs);
    });
  });
}
