import assert from "node:assert/strict";
import { test } from "node:test";
import { cpu, embeddingInit, layerNormInit, linearInit, random } from "../mod.ts";

test("initial parameters have their shapes, zeros for biases, and the deviation asked for", () => {
  using rng = random(cpu, 3);
  const up = linearInit(rng, 400, 300);
  assert.deepEqual([up.weight.shape, up.bias!.shape], [[300, 400], [300]]);
  assert.deepEqual(new Set(up.bias!.readSync()), new Set([0]));
  const deviation = (x: Float32Array) => Math.sqrt(x.reduce((s, v) => s + v * v, 0) / x.length);
  assert.ok(Math.abs(deviation(up.weight.readSync()) - 0.05) < 0.001);
  assert.equal(linearInit(rng, 4, 4, { bias: false }).bias, undefined);
  assert.ok(Math.abs(deviation(embeddingInit(rng, 500, 100).weight.readSync()) - 0.02) < 0.001);
  const norm = layerNormInit(rng, 5);
  assert.deepEqual([[...norm.weight.readSync()], [...norm.bias!.readSync()]], [[1, 1, 1, 1, 1], [0, 0, 0, 0, 0]]);
  assert.equal(layerNormInit(rng, 5, { bias: false }).bias, undefined);
});

test("the same seed gives the same parameters; sizes are checked", () => {
  using a = random(cpu, 9);
  using b = random(cpu, 9);
  assert.deepEqual(linearInit(a, 7, 5).weight.readSync(), linearInit(b, 7, 5).weight.readSync());
  assert.throws(() => linearInit(a, -1, 5), { name: "RangeError", message: /linearInit: inputs must be a whole number/ });
  assert.throws(() => embeddingInit(a, 1.5, 5), { name: "RangeError", message: /embeddingInit: count/ });
});
