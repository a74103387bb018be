// The digits example as a program: that it learns, and that a seed says everything. Its full run reads over 97 % rightly; the short one here 93 %.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cpu, random } from "../mod.ts";
import { type Digits, pixels, readDigits, sampleDigits, side } from "../examples/digits.ts";
import { runOf } from "../report/page.ts";
import { assertEndedWell, run, starting } from "./child.ts";

interface Result {
  last_loss: number;
  accuracy: number;
  confusion: number[][];
}

const command = [
  ...starting,
  fileURLToPath(new URL("../examples/classify.ts", import.meta.url)),
];

async function classify(...args: string[]): Promise<{ result: Result; stdout: string }> {
  const ended = await run([...command, ...args, "--json"], { secondsMax: 110 });
  assertEndedWell(ended);
  return { result: JSON.parse(ended.stdout.trim().split("\n").at(-1)!), stdout: ended.stdout };
}

test("the digits are 10 000, of which no image is both learnt from and held out", async () => {
  const { train, heldOut } = await readDigits();
  assert.deepEqual([train.labels.length, heldOut.labels.length], [7996, 2004]);
  const seen = new Set(images(train));
  const again = images(heldOut).filter((image) => seen.has(image));
  assert.deepEqual(again, []);
  for (const { images, labels } of [train, heldOut]) {
    assert.equal(images.length, labels.length * pixels);
    assert.ok(images.every((pixel) => pixel >= 0 && pixel <= 1));
    for (let digit = 0; digit < 10; digit++) assert.ok(labels.filter((label) => label === digit).length > 0.08 * labels.length, `${digit}`);
  }
});

function images({ images, labels }: Digits): string[] {
  return Array.from(labels, (_, i) => images.subarray(i * pixels, (i + 1) * pixels).join());
}

test("sampled digits are moved a little, keep their labels, and follow the seed", () => {
  // A square block for label 1, nothing for label 0.
  const source: Digits = { images: new Float32Array(2 * pixels), labels: Uint8Array.of(0, 1) };
  for (let y = 10; y < 18; y++) source.images.fill(1, pixels + y * side + 10, pixels + y * side + 18);
  using rng = random(cpu, 5);
  const { images, labels } = sampleDigits(source, 64, rng);
  const shapes = new Set<string>();
  labels.forEach((label, i) => {
    const image = images.subarray(i * pixels, (i + 1) * pixels), mass = image.reduce((a, b) => a + b, 0);
    assert.ok(image.every((pixel) => pixel >= 0 && pixel <= 1 + 1e-6));
    // The block's 64 pixels, stretched by at most 1 / (0.83² − 0.17²) and squeezed by at most 1 / (1.17² + 0.17²).
    assert.ok(label === 0 ? mass === 0 : mass > 64 / 1.45 && mass < 64 / 0.63, `label ${label}: ${mass}`);
    if (label === 1) shapes.add(image.join());
  });
  const ones = labels.filter((label) => label === 1).length;
  assert.ok(ones > 10 && ones < 54, `${ones} of 64`);
  assert.equal(shapes.size, ones, "each is new");
  using same = random(cpu, 5);
  assert.deepEqual(sampleDigits(source, 64, same), { images, labels });
});

test("digits are read rightly after a short training, and the confusion says the same", async () => {
  const { result, stdout } = await classify("--steps", "100");
  assert.ok(result.accuracy > 0.9, `${result.accuracy}`);
  const all = result.confusion.flat().reduce((a, b) => a + b, 0),
    right = result.confusion.reduce((sum, row, digit) => sum + row[digit]!, 0);
  assert.equal(all, 2004);
  assert.equal(result.accuracy, right / all);
  assert.ok(stdout.includes(`${right} of 2004 held-out digits read rightly, ${(100 * result.accuracy).toFixed(2)} %`));
  assert.match(
    stdout,
    new RegExp(`^    3 ${result.confusion[3]!.map((count) => (count === 0 ? "·" : `${count}`).padStart(5)).join("")} `, "m"),
  );
});

test("the digits keep a report with the curves and the digits that were misread", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tilework-digits-"));
  try {
    const file = join(folder, "digits.html"), { result } = await classify("--steps", "100", "--report", file);
    const page = runOf(await readFile(file, "utf8"))!, [loss, accuracy] = page.columns;
    assert.deepEqual([page.state, page.done, loss!.at.length, accuracy!.at], ["finished", 100, 100, [99]]);
    assert.ok(Math.abs(accuracy!.mean[0]! - 100 * result.accuracy) < 1e-3);
    const misread = page.pictures.map(({ title, width }) => ({ title, width }));
    assert.ok(
      misread.length > 8 && misread.every(({ title, width }) => /^\d read as \d \(\d+\)$/.test(title) && width === side),
      JSON.stringify(misread),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the seed alone says what is learnt, not the number of workers", async () => {
  const args = ["--steps", "12", "--seed"];
  const [one, two, other] = [
    await classify(...args, "7", "--threads", "1"),
    await classify(...args, "7", "--threads", "2"),
    await classify(...args, "8"),
  ];
  assert.deepEqual([two.result.last_loss, two.result.confusion], [one.result.last_loss, one.result.confusion]);
  assert.notEqual(other.result.last_loss, one.result.last_loss);
});

test("a wrong flag ends the program with a sentence", async () => {
  const { code, stderr } = await run([...command, "--steps", "0"]);
  assert.equal(code, 2);
  assert.match(stderr, /--steps must be a whole number from 1 to 1000000, not 0/);
});
