import assert from "node:assert/strict";
import { test } from "node:test";
import { bunCounts, denoCounts, failures, judged, line, nodeCounts, plainCounts, total, zigCounts } from "../scripts/counts.ts";

const escape = String.fromCharCode(27);

test("zigCounts() adds the instruction sets, a missing one included", () => {
  const text = "isa portable: 40 passed, 1 failed, 0 skipped\nnoise\nisa avx2: 41 passed, 0 failed\n" +
    "isa avx512: 0 passed, 0 failed, 41 skipped (this machine lacks it)\n";
  assert.deepEqual(zigCounts(text), { passed: 81, failed: 1, skipped: 41 });
});

test("denoCounts() reads the last summary, with steps and colours", () => {
  const text =
    `ok | 9 passed | 0 failed (1ms)\n${escape}[0m${escape}[32mok${escape}[0m | 12 passed (3 steps) | 0 failed | 2 ignored (1 step) (50ms)\n`;
  assert.deepEqual(denoCounts(text), { passed: 12, failed: 0, skipped: 2 });
  assert.deepEqual(denoCounts("FAILED | 1 passed | 2 failed (2 steps) (50ms)\n"), { passed: 1, failed: 2, skipped: 0 });
});

test("bunCounts() reads the three lines of the summary", () => {
  assert.deepEqual(bunCounts(" 12 pass\n 3 skip\n 1 fail\nRan 16 tests across 2 files.\n"), { passed: 12, failed: 1, skipped: 3 });
});

test("nodeCounts() reads the lines of the summary, and takes a test that was cancelled for one that failed", () => {
  const text = "✔ adds (1ms)\nℹ tests 19\nℹ suites 0\nℹ pass 12\nℹ fail 2\nℹ cancelled 1\nℹ skipped 3\nℹ todo 0\nℹ duration_ms 5.1\n";
  assert.deepEqual(nodeCounts(text), { passed: 12, failed: 3, skipped: 3 });
});

test("plainCounts() takes the last line that holds nothing else", () => {
  assert.deepEqual(plainCounts("1 passed, 0 failed\n-- zig: 5 passed, 0 failed (1 s)\n7 passed, 2 failed, 3 skipped\n"), {
    passed: 7,
    failed: 2,
    skipped: 3,
  });
});

test("no summary counts as nothing, which the callers take as a failure", () => {
  for (const count of [zigCounts, denoCounts, bunCounts, nodeCounts, plainCounts]) {
    assert.deepEqual(count("error: no such file\n"), { passed: 0, failed: 0, skipped: 0 });
  }
});

test("judged() takes a runner that ended badly, or ran nothing, for one failure", () => {
  const good = { passed: 2, failed: 0, skipped: 1 },
    bad = { passed: 2, failed: 3, skipped: 0 },
    none = { passed: 0, failed: 0, skipped: 2 };
  assert.deepEqual(judged(good, 0, "runner"), good);
  assert.deepEqual(judged(bad, 1, "runner"), bad);
  assert.deepEqual(judged(good, 1, "runner"), { ...good, failed: 1 });
  assert.deepEqual(judged(none, 0, "runner"), { ...none, failed: 1 });
});

test("line() and total() agree with plainCounts()", () => {
  const sum = total([{ passed: 1, failed: 0, skipped: 2 }, { passed: 3, failed: 1, skipped: 0 }]);
  assert.deepEqual(plainCounts(line(sum)), sum);
});

test("failures() finds what each runner says failed and why, and nothing of what passed", () => {
  const text = [
    "adds ... ok (1ms)",
    "multiplies ... FAILED (2ms)",
    "error: AssertionError: Expected values to be equal:",
    "(pass) an error: that is part of a name [1.00ms]",
    `${escape}[31mTypeError: undefined${escape}[0m`,
    "(fail) divides [0.10ms]",
    "FAILED isa.math: TestExpectedEqual (seed 1)",
    "LEAKED isa.math",
    "(fail) divides [0.10ms]",
  ].join("\n");
  const all = [
    text.split("\n")[1],
    text.split("\n")[2],
    "TypeError: undefined",
    "(fail) divides [0.10ms]",
    ...text.split("\n").slice(6, 8),
  ];
  assert.deepEqual(failures(text, 20), all);
  assert.deepEqual(failures(text, 2), all.slice(-2));
});
