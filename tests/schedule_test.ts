import assert from "node:assert/strict";
import { test } from "node:test";
import { cosine } from "../mod.ts";

test("cosine() warms up linearly, peaks, and falls to the floor", () => {
  const rate = cosine({ peak: 3e-3, warmup: 4, steps: 14, floor: 1e-3 });
  assert.deepEqual([0, 1, 2, 3].map(rate), [3e-3 / 4, 3e-3 * 2 / 4, 3e-3 * 3 / 4, 3e-3]);
  assert.equal(rate(4), 3e-3);
  assert.equal(rate(9), 2e-3);
  assert.ok(rate(13) > 1e-3 && rate(13) < 1.06e-3);
  for (const step of [14, 15, 1_000_000]) assert.equal(rate(step), 1e-3);
  for (let step = 4; step < 14; step++) assert.ok(rate(step + 1) < rate(step));
});

test("cosine() follows its formula within 2 units in the last place, in every runtime with the same bits", () => {
  const steps = 977, peak = 0.7, floor = 0.01;
  const rate = cosine({ peak, warmup: 0, steps, floor });
  let hash = 0;
  for (let step = 0; step < steps; step++) {
    const wanted = floor + (peak - floor) * (1 + Math.cos(Math.PI * step / steps)) / 2;
    assert.ok(Math.abs(rate(step) - wanted) <= 4 * Number.EPSILON * peak, `${step}: ${rate(step)}, not ${wanted}`);
    for (const word of new Uint32Array(new Float64Array([rate(step)]).buffer)) hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
  }
  assert.equal(hash, 1618518045); // recorded under Deno and Bun
});

test("cosine() takes no warm-up, nothing but warm-up, and a peak of 0", () => {
  assert.equal(cosine({ peak: 1, warmup: 0, steps: 5 })(0), 1);
  assert.equal(cosine({ peak: 1, warmup: 0, steps: 1 })(1), 0);
  const only = cosine({ peak: 1, warmup: 2, steps: 2 });
  assert.deepEqual([only(0), only(1), only(2)], [0.5, 1, 0]);
  assert.equal(cosine({ peak: 0, warmup: 1, steps: 2 })(1), 0);
});

test("cosine() names an argument that is out of range", () => {
  const fine = { peak: 1, warmup: 1, steps: 2 };
  assert.throws(() => cosine({ ...fine, peak: -1 }), new RangeError("cosine: peak must be at least 0 and finite, got -1"));
  assert.throws(() => cosine({ ...fine, peak: NaN }), /^RangeError: cosine: peak/);
  assert.throws(() => cosine({ ...fine, peak: "1" as unknown as number }), /^TypeError: cosine: peak must be a number/);
  assert.throws(() => cosine({ ...fine, floor: 2 }), new RangeError("cosine: floor 2 is above the peak 1"));
  assert.throws(() => cosine({ ...fine, floor: -0.5 }), /^RangeError: cosine: floor/);
  assert.throws(() => cosine({ ...fine, steps: 0 }), /^RangeError: cosine: steps must be a whole number from 1/);
  assert.throws(() => cosine({ ...fine, steps: 2.5 }), /^RangeError: cosine: steps/);
  assert.throws(() => cosine({ ...fine, warmup: 3 }), /^RangeError: cosine: warmup must be a whole number from 0 to 2, got 3/);
  for (const step of [-1, 0.5, NaN]) assert.throws(() => cosine(fine)(step), /^RangeError: cosine: step must be a whole number/);
});
