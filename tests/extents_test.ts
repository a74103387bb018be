// No input ends the process or hangs it: every function of the package with axes of no elements, alone and beside axes of 2^40, and with
// numbers at every limit. It gives the empty result, the sum of nothing or an error of the package's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cpu,
  crossEntropy,
  crossEntropyBackward,
  explain,
  linearCrossEntropy,
  linearCrossEntropyBackward,
  scope,
  tensor,
  valueAndGrad,
  vulkan,
  zeros,
} from "../mod.ts";
import { native } from "../ffi/library.ts";
import { childJson } from "./child.ts";
import { gpuName, noGpu } from "./gpu_harness.ts";
import { runJobs } from "./jobs.ts";
import { calls, declared } from "./numbers_jobs.ts";

/** Each job is a call in a child process, which does thousands: one that ends it or never returns is a failure with the call's name. */
async function assertJobs(program: string, args: readonly string[], least: number): Promise<void> {
  const { done, failures } = await runJobs(program, args);
  assert.deepEqual(failures, [], `${failures.length} of ${done} calls failed`);
  assert.ok(done >= least, `${done} calls were made`);
}
const places = [{ on: "cpu", name: "the CPU", skip: false as const, dtypes: ["f32", "f64"] }, {
  on: gpuName,
  name: "a GPU",
  skip: noGpu,
  dtypes: ["f32"],
}];

for (const { on, name, skip, dtypes } of places) {
  for (const way of ["forward", "explained", "backward"]) {
    test(`every function on ${name}, ${way}, takes axes of no elements beside axes of 2^40`, { skip, timeout: 180_000 }, async () => {
      for (const dtype of dtypes) await assertJobs("extents_jobs.ts", [way, on, dtype], 1500);
    });
  }
  test(
    `every number that a function takes on ${name} may have any value, and ends nothing`,
    { skip, timeout: 180_000 },
    () => assertJobs("numbers_jobs.ts", [on], 1000),
  );
}

test("every number that a function takes, by its options or in its place, is tried", () => {
  assert.deepEqual(declared().filter((name) => !(name in calls)), []);
  assert.ok(declared().length > 50);
});

/** What a program of its own prints as JSON: it may neither be ended by a call nor wait for ever. */
const printed = (program: string) =>
  childJson(
    `import * as api from "tilework";
    const { cpu, zeros } = api;
    const shapes = (tensors) => Object.values(tensors).map((x) => x.shape);
    const error = (call) => { try { return call().shape; } catch (e) { return e.name + ": " + e.message; } };
    ${program}`,
    { secondsMax: 30 },
  );

test("attention without heads is empty, and so are its gradients", async () => {
  const empty = [1, 0, 2, 2];
  const wanted = [[empty], [empty, empty, empty], [empty], ["no elements, nothing to do"]];
  const got = await printed(`
    const x = zeros(cpu, [1, 0, 2, 2]);
    const { grads } = api.valueAndGrad((p) => api.sum(api.attention(p.x, p.x, p.x)))({ x });
    const plan = api.explain(() => api.attention(x, x, x));
    const backward = api.attentionBackward(x, x, x, x);
    console.log(JSON.stringify([[api.attention(x, x, x).shape], shapes(backward), shapes(grads), plan.map((s) => s.why)]));`);
  assert.deepEqual(got, wanted);
});

test("many rows of nothing are done at once", async () => {
  const got = await printed(`
    const rows = 2 ** 40, x = zeros(cpu, [rows, 0]), weight = zeros(cpu, [0]), q = zeros(cpu, [1, 1, rows, 0]);
    const gradient = (f) => api.valueAndGrad((p) => api.sum(f(p.x)))({ x }).grads.x.shape;
    const all = [api.softmax, api.logSoftmax, (x) => api.layerNorm(x, { weight }), (x) => api.rmsNorm(x, { weight })];
    const more = [api.softmaxBackward(x, x), api.logSoftmaxBackward(x, x), ...Object.values(api.layerNormBackward(x, { weight }, x))];
    console.log(JSON.stringify([
      ...all.map((f) => [f(x).shape, gradient(f)]),
      shapes([...more, ...Object.values(api.rmsNormBackward(x, { weight }, x))]),
      shapes([api.attention(q, q, q), ...Object.values(api.attentionBackward(q, q, q, q))]),
      api.matmul(zeros(cpu, [rows, 0, 3]), zeros(cpu, [3, 4])).shape,
    ]));`);
  const rows = 2 ** 40, x = [rows, 0], q = [1, 1, rows, 0];
  assert.deepEqual(got, [[x, x], [x, x], [x, x], [x, x], [x, x, x, [0], x, [0]], [q, q, q, q], [rows, 0, 4]]);
});

test("a shape with a size of 0 holds nothing, however large the others are", async () => {
  const got = await printed(`
    const huge = 2 ** 40, x = zeros(cpu, [0, huge, huge]);
    console.log(JSON.stringify([
      [x.shape, x.size, x.isContiguous, String(x)],
      shapes([api.transpose(x), api.copy(api.transpose(x)), api.reshape(x, [huge, 0])]),
      shapes([api.concat([x, x], 1), ...api.split(x, [huge - 1, 1], 2)]),
      [api.sum(x).itemSync(), error(() => zeros(cpu, [huge, huge]))],
      error(() => api.sum(x, { axis: 0 })).split(":")[0],
    ]));`);
  const h = 2 ** 40;
  assert.deepEqual(got, [
    [[0, h, h], 0, true, `Tensor f32 [0, ${h}, ${h}] on cpu []`],
    [[0, h, h], [0, h, h], [h, 0]],
    [[0, 2 * h, h], [0, h, h - 1], [0, h, 1]],
    [0, `RangeError: zeros: shape [${h}, ${h}] holds more than 2^53 - 1 elements`],
    "OutOfMemoryError",
  ]);
});

for (const { on, name, skip } of places) {
  test(`cross-entropy over no classes is one error on ${name}, explained and backward too`, { skip }, async () => {
    const device = on === "cpu" ? cpu : await vulkan({ name: on });
    scope(() => {
      const targets = tensor(device, [2], new Int32Array([-100, -100])), dy = zeros(device, []);
      const logits = zeros(device, [2, 0]), x = zeros(device, [2, 3]), weight = zeros(device, [0, 3]);
      const refuses = (op: string, call: () => unknown) => {
        const error = { name: "RangeError", message: `${op}: targets is [2], but there are 0 classes` };
        assert.throws(call, error);
        assert.throws(() => explain(call), error);
      };
      refuses("crossEntropy", () => crossEntropy(logits, targets));
      refuses("crossEntropyBackward", () => crossEntropyBackward(logits, targets, dy));
      refuses("linearCrossEntropy", () => linearCrossEntropy(x, { weight }, targets));
      refuses("linearCrossEntropyBackward", () => linearCrossEntropyBackward(x, { weight }, targets, dy));
      assert.throws(() => valueAndGrad((p: { logits: typeof logits }) => crossEntropy(p.logits, targets))({ logits }), RangeError);
      // Without rows there is nothing to choose.
      assert.equal(crossEntropy(zeros(device, [0, 0]), zeros(device, [0], "u32")).itemSync(), 0);
    });
  });
}

test("the C boundary refuses a view whose count wraps, and what it is told of one", () => {
  using one = zeros(cpu, [1]);
  const bytes = new Uint8Array(4);
  const view = (...layout: number[]) => native.tw_tensor_view(one.handle, (layout.length - 1) / 2, Float64Array.from(layout));
  assert.equal(view(0, 274177, 67280421310721, 0, 0), 0); // 2^64 + 1 elements
  assert.equal(native.tw_tensor_new(0, 2, Float64Array.of(274177, 67280421310721)), 0);
  const none = view(0, 2 ** 40, 0, 2 ** 40, 1, 1, 1);
  assert.notEqual(none, 0);
  assert.notEqual(native.tw_tensor_read(bytes, none, 4), 0);
  assert.equal(native.tw_tensor_read(bytes, none, 0), 0);
  native.tw_tensor_free(none);
});
