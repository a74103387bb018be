/**
 * Learns to read handwritten digits, and says how well it reads those that it has not seen.
 *
 *     deno task classify        bun run classify        --help lists the flags
 */
import process from "node:process";
import { parseArgs } from "node:util";
import {
  adamW,
  cosine,
  cpuDevice,
  crossEntropy,
  type Device,
  dim,
  gelu,
  layerNorm,
  layerNormInit,
  linear,
  linearInit,
  type Random,
  random,
  scope,
  type Tensor,
  tensor,
  type Threads,
  valueAndGrad,
} from "@tilework/tilework";
import { openReport } from "@tilework/tilework/report";
import { type Digits, pixels, readDigits, sampleDigits, side } from "./digits.ts";
import { number, threadsFlag } from "./options.ts";
import { progress } from "./progress.ts";

const usage = `Learns to read handwritten digits (MNIST) and is tested on 2 004 that it has not seen.

  deno task classify [FLAGS]        bun run classify [FLAGS]

  --steps N          training steps of 128 images (1500)
  --threads N|auto   workers (auto); the result is the same with any number
  --seed N           of the parameters, the order of the images and how they are moved (42)
  --report FILE      keep a page there: curves, and digits that were misread
  --json             print one JSON object as the last line`;

const batch = 128, width = dim("width", 512), hidden = dim("hidden", 256), classes = 10;

/** New parameters: a perceptron of three layers. */
const init = (rng: Random) => ({
  first: linearInit(rng, pixels, width),
  norm1: layerNormInit(rng, width),
  second: linearInit(rng, width, hidden),
  norm2: layerNormInit(rng, hidden),
  last: linearInit(rng, hidden, classes),
});
type Params = ReturnType<typeof init>;
type Images = Tensor<"f32", [number, number]>;

/** Logits of the ten digits for each image. */
function model(p: Params, x: Images): Tensor<"f32", [number, number]> {
  const h = gelu(layerNorm(linear(x, p.first), p.norm1));
  return linear(gelu(layerNorm(linear(h, p.second), p.norm2)), p.last);
}

const lossAndGrads = valueAndGrad((p: Params, x: Images, labels: Tensor<"u32", [number]>) => crossEntropy(model(p, x), labels));

/** Images and labels as tensors. */
function toTensors({ images, labels }: Digits, device: Device): [Images, Tensor<"u32", [number]>] {
  return [tensor(device, [labels.length, pixels], images), tensor(device, [labels.length], Uint32Array.from(labels))];
}

/** The digit that the model takes each image for. */
function read(p: Params, digits: Digits, device: Device): number[] {
  using logits = scope(() => model(p, toTensors(digits, device)[0]));
  const values = logits.readSync();
  return Array.from(digits.labels, (_, i) => {
    const row = values.subarray(i * classes, (i + 1) * classes);
    return row.reduce((best, value, digit) => value > row[best]! ? digit : best, 0);
  });
}

/** How often each digit (row) was taken for each (column). */
function confusion(labels: Uint8Array, answers: readonly number[]): number[][] {
  const counts = Array.from({ length: classes }, () => Array<number>(classes).fill(0));
  answers.forEach((answer, i) => counts[labels[i]!]![answer]!++);
  return counts;
}

/** The confusion as text: rows are digits, columns what they were taken for; the last column is the share that was read rightly. */
function confusionText(counts: readonly number[][]): string {
  const cell = (value: number) => (value === 0 ? "·" : `${value}`).padStart(5);
  const head = `      ${counts.map((_, digit) => `${digit}`.padStart(5)).join("")}   rightly`;
  const rows = counts.map((row, digit) => {
    const right = 100 * row[digit]! / row.reduce((sum, count) => sum + count, 0);
    return `    ${digit} ${row.map(cell).join("")}   ${right.toFixed(1).padStart(5)} %`;
  });
  return [head, ...rows].join("\n");
}

/** The report of a run, if one is asked for: losses, and how many of the held-out digits are read rightly. */
function startReport(file: string) {
  return openReport({
    ...{ title: "MNIST, a perceptron of three layers", file, steps },
    series: {
      loss: { title: "Loss", unit: "nats", scale: "log", wide: true },
      accuracy: { title: "Held-out digits read rightly", unit: "%", kind: "points", best: "highest" },
      rate: { title: "Learning rate", smooth: false, zero: true },
    },
    facts: { seed, steps, batch, device: device.name },
  });
}

/** The share of digits that are read rightly. */
function accuracyOf(labels: Uint8Array, answers: readonly number[]): number {
  return answers.filter((answer, i) => answer === labels[i]).length / labels.length;
}

const { steps, threads, seed, json, file } = flags(process.argv.slice(2));
const device = cpuDevice({ threads });
const { train, heldOut } = await readDigits();
console.log(
  `MNIST, ${train.labels.length} images to learn from, ${heldOut.labels.length} held out; ${steps} steps of ${batch}; ${device.name}`,
);

const began = performance.now();
using rng = random(device, seed);
const params = init(rng);
using optimizer = adamW(params, { weightDecay: 0.05 });
const rate = cosine({ peak: 2e-3, warmup: Math.min(50, steps), steps });
const report = file === undefined ? undefined : startReport(file);
let last = NaN;
{
  using bar = progress(steps, 0, batch, "images");
  for (let step = 0; step < steps; step++) {
    last = scope(() => {
      const { value, grads } = lossAndGrads(params, ...toTensors(sampleDigits(train, batch, rng), device));
      optimizer.step(params, grads, rate(step)); // in place
      return value.itemSync();
    });
    bar.update(step + 1, last);
    report?.add(step, { loss: last, rate: rate(step) });
    if (report && step % 100 === 99) report.add(step, { accuracy: 100 * accuracyOf(heldOut.labels, read(params, heldOut, device)) });
  }
}
const seconds = (performance.now() - began) / 1000;

const answers = read(params, heldOut, device), counts = confusion(heldOut.labels, answers);
const accuracy = accuracyOf(heldOut.labels, answers), right = Math.round(accuracy * answers.length);
console.log(`\nWhat held-out digits (rows) were taken for (columns):\n\n${confusionText(counts)}\n`);
console.log(
  `${right} of ${heldOut.labels.length} held-out digits read rightly, ${(100 * accuracy).toFixed(2)} %, after ${
    seconds.toFixed(1)
  } s of training.`,
);
if (report) {
  const misread = answers.flatMap((answer, i) => answer === heldOut.labels[i] ? [] : [i]).slice(0, 24);
  for (const i of misread) {
    const image = heldOut.images.subarray(i * pixels, (i + 1) * pixels);
    report.image(steps, "Misread digits", {
      title: `${heldOut.labels[i]} read as ${answers[i]} (${i})`,
      width: side,
      height: side,
      pixels: image,
    });
  }
  await report.close();
  console.log(`The report is in ${file}.`);
}
if (json) {
  console.log(JSON.stringify({ device: device.name, seed, steps, seconds, last_loss: last, accuracy, confusion: counts }));
}

function flags(args: string[]): { steps: number; threads: Threads; seed: number; json: boolean; file: string | undefined } {
  const one = { type: "string" } as const, flag = { type: "boolean" } as const;
  try {
    const { values } = parseArgs({
      args,
      options: { steps: one, threads: one, seed: one, report: one, json: flag, help: { ...flag, short: "h" } },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    return {
      steps: number("steps", values.steps, 1, 1e6) ?? 1500,
      threads: threadsFlag(values.threads),
      seed: number("seed", values.seed, 0, 2 ** 32 - 1) ?? 42,
      json: values.json ?? false,
      file: values.report,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n--help lists the flags.`);
    process.exit(2);
  }
}
