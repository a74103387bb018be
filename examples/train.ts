/**
 * Trains a byte-level language model on Moby-Dick for a minute, keeps a checkpoint and a report, and lets it write.
 *
 *     deno task demo        bun run demo        --help lists the flags
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import {
  adamW,
  add,
  cast,
  clipByGlobalNorm,
  copy,
  cosine,
  cpu,
  full,
  load,
  memory,
  random,
  readMetadata,
  reshape,
  save,
  scale,
  scope,
  slice,
  type Tensor,
  treeLeaves,
  treeMap,
  valueAndGrad,
} from "@tilework/tilework";
import { openReport } from "@tilework/tilework/report";
import { openDevice } from "./device.ts";
import { lossCurve } from "./loss_curve.ts";
import { init, trainingLoss } from "./model.ts";
import { configOf, parseOptions, type Plan, planFromMetadata, planToMetadata } from "./options.ts";
import { progress, thousands } from "./progress.ts";
import { heldOutLoss, write } from "./sample.ts";
import { readText, sampleBatch } from "./text.ts";

const options = parseOptions(process.argv.slice(2));
const { device, facts, text: deviceText } = await openDevice(options.device, options.threads); // a device is named once; everything made from its tensors lives there too
const [checkpoint, page, picture] = ["checkpoint.safetensors", "report.html", "loss.svg"].map((name) => join(options.out, name));
await mkdir(options.out, { recursive: true }).catch((error) => cannotStart(messageOf(error)));

let stopping = false;
process.once("SIGINT", () => stopping = true); // a second Ctrl-C ends the program at once

// ── The run: a new one, or one that goes on ─────────────────────────────────────────────────────────────────────────────────────────────

const metadata = options.resume ? await readMetadata(checkpoint) : undefined;
const before = metadata && planFromMetadata(metadata, options);
const text = await readText(before?.text ?? options.text);
if (before && before.textHash !== text.hash) throw new Error(`${text.name} is not the text that this run began with.`);
const size = before?.size ?? options.size ?? "base", dense = before?.dense ?? options.dense ?? false;
const c = configOf({ size, dense });
if (text.heldOut.length <= c.context) {
  throw new Error(`${text.name} is too short: its last twentieth must be longer than ${c.context} bytes.`);
}

/** A model with all that belongs to its training. */
function start(seed: number) {
  const rng = random(cpu, seed); // what it draws for batches is read here, on the processor
  const drawn = init(rng, c), params = treeMap(drawn, (x) => x.to(device));
  for (const [, x] of treeLeaves(drawn)) x.dispose();
  return { rng, params, optimizer: adamW(params, { betas: [0.9, 0.95], weightDecay: 0.1 }) };
}

const lossAndGrads = valueAndGrad(trainingLoss);

const tokensPerStep = c.batch * c.context;
const clip = 1; // the norm of all gradients together is at most this

/** What is told of a step: its loss, the gradients' norm before clipping, and the part of all bytes that each expert had. It stays on the device. */
interface Stepped {
  loss: Tensor<"f32", []>;
  norm: Tensor<"f32", []>;
  load: Tensor<"f32", [number]> | undefined;
}

/** One step: a batch, its loss and gradients, a step of the optimizer. Nothing of it is read, so that a GPU never waits for this program. */
function trainStep({ rng, params, optimizer }: ReturnType<typeof start>, rate: number): Stepped {
  return scope(() => {
    const { value: [, loss, ...offsets], grads } = lossAndGrads(params, ...sampleBatch(text.train, rng, c, device), c);
    const norm = clipByGlobalNorm(grads, clip); // in place
    optimizer.step(params, grads, rate); // in place
    return { loss, norm, load: c.experts > 0 ? loadOf(offsets) : undefined };
  });
}

/** The part of all bytes that each expert had, all blocks together. */
function loadOf(offsets: readonly Tensor<"u32", [number]>[]): Tensor<"f32", [number]> {
  const ends = offsets.map((block) => cast(block, "f32")).reduce((a, b) => add(a, b));
  const rows = add(slice(ends, 0, 1), scale(slice(ends, 0, 0, -1), -1));
  return scale(rows, 1 / (tokensPerStep * c.topK * offsets.length));
}

/** How many steps fill a time, tried out on a model that is thrown away. */
function stepsWithin(seconds: number): number {
  const began = performance.now();
  const perStep = scope(() => {
    const trial = start(0), times: number[] = [];
    using _rng = trial.rng, _optimizer = trial.optimizer; // these outlive a scope
    while (times.length < 8 || performance.now() - began < Math.min(2000, 50 * seconds)) {
      const from = performance.now();
      trainStep(trial, 1e-3).loss.itemSync(); // waits for the step
      times.push(performance.now() - from);
    }
    return times.sort((a, b) => a - b)[times.length >> 1]!;
  });
  // The looks at the held-out text and the passages in between take about 3 % of the time.
  return Math.max(10, Math.floor(0.97 * (1000 * seconds - (performance.now() - began)) / perStep));
}

const plan: Plan = before ?? {
  ...{ size, dense, seed: options.seed ?? 42, text: options.text, textHash: text.hash },
  steps: options.steps ?? stepsWithin(options.seconds ?? 60),
};
const { steps } = plan;

const run = start(plan.seed);
const rate = cosine({ peak: 3e-3, warmup: Math.min(40, Math.ceil(steps / 10)), steps });
const marks = Math.min(10, steps); // looks at the held-out text, the first before any training
const curve = {
  ...{ train: full(device, [steps], NaN), norm: full(device, [steps], NaN), heldOut: full(device, [marks], NaN) },
  load: full(device, [steps, c.experts], NaN),
};
const state = { params: run.params, optimizer: run.optimizer.state, rng: run.rng.state, curve }; // all that a run needs to go on, bit for bit
if (options.resume) await load(checkpoint, state);
/** Puts a step's figure in its place on the device. */
const put = (into: Tensor<"f32", [number] | [number, number]>, at: number, value: Tensor<"f32", [] | [number]>) => {
  using one = slice(into, 0, at, at + 1), row = reshape(value, one.shape as never); // as many elements
  copy(row as Tensor, { out: one as Tensor });
};

const runtime = ["bun", "deno", "node"].find((name) => process.versions[name] !== undefined) ?? "unknown";
const first = await run.optimizer.state.step.item();
const model = c.experts > 0 ? `${size}, ${c.topK} of ${c.experts} experts` : `${size}, dense`;
const stepOfMark = (mark: number) => Math.round(mark * steps / marks);
/** What the model wrote on the way. */
const samples: { step: number; text: string }[] = JSON.parse(metadata?.samples ?? "[]");

let step = first, kept = first;
/** Why the state or the report could not be kept the last time; undefined where they were. */
let unkept: string | undefined;

/** Runs what keeps the state or the report. A full disk does not end the run: what was kept before is still whole, and the next may find room. */
async function keep(what: "state" | "report", write: () => unknown): Promise<void> {
  try {
    await write();
  } catch (error) {
    unkept ??= `The ${what} of step ${step} could not be kept: ${messageOf(error)}`;
  }
}

async function saveState(): Promise<void> {
  unkept = undefined;
  await keep("state", async () => {
    await save(checkpoint, state, { metadata: { ...planToMetadata(plan), samples: JSON.stringify(samples) } });
    kept = step;
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}

function cannotStart(why: string): never {
  console.error(
    `${why}\nNothing was trained: ${options.out}, where a run keeps its checkpoint and its report, must be a folder that can be written, ` +
      `with room for both. --out DIR names another.`,
  );
  process.exit(1);
}

/** The page of the run. One that goes on shows the run from its first step on. */
function startReport() {
  const experts = Array.from({ length: c.experts }, (_, expert) => `expert ${expert}`);
  const report = openReport({
    title: `${text.name}, model ${model}`,
    ...{ file: page, resume: options.resume, steps },
    series: {
      loss: { title: "training", group: "Loss", unit: "nats a byte", wide: true },
      heldOut: { title: "held-out text", group: "Loss", kind: "points", best: "lowest" },
      rate: { title: "Learning rate", smooth: false, zero: true },
      norm: { title: "Gradient norm", unit: "before clipping", scale: "log", reference: { value: clip, title: "clipped at" } },
      speed: { title: "Speed", unit: "tokens/s", zero: true },
      ...Object.fromEntries(experts.map((name) => [name, { group: "Expert load", stack: true, wide: true }])),
    },
    facts: {
      ...{ text: text.name, "text's SHA-256": text.hash.slice(0, 12), model, seed: plan.seed, steps, "tokens a step": tokensPerStep },
      device: facts.device,
      ...(facts.isa !== null && { "instruction set": facts.isa, workers: facts.threads! }),
      runtime: `${runtime} ${process.versions[runtime]}`,
    },
  });
  return { report, loads: (load: readonly number[]) => Object.fromEntries(experts.map((name, expert) => [name, load[expert]])) };
}

// Before training, not after the first minute of it: whether there is a place to keep what is learnt.
await saveState();
if (unkept !== undefined) cannotStart(unkept);
const { report, loads } = (() => {
  try {
    return startReport();
  } catch (error) {
    return cannotStart(`The report of step ${step} could not be kept: ${messageOf(error)}`);
  }
})();

if (metadata) { // what the page lacks is in the checkpoint, but for how long a step took, which is no part of a run that is the same everywhere
  const [losses, norms, looks, shares] = await Promise.all([
    curve.train.read(),
    curve.norm.read(),
    curve.heldOut.read(),
    curve.load.read(),
  ]);
  for (let s = (report.lastStep ?? -1) + 1; s < first; s++) {
    const load = [...shares.subarray(s * c.experts, (s + 1) * c.experts)], mark = Math.round(s * marks / steps);
    report.add(s, {
      loss: losses[s],
      norm: norms[s],
      rate: rate(s),
      heldOut: s === stepOfMark(mark) ? looks[mark] : undefined,
      ...loads(load),
    });
  }
  for (const { step, text } of samples) report.sample(step, text);
}

// ── Training ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

console.log(
  `${text.name}, ${thousands(text.train.length)} bytes; model ${model}; ${steps} steps of ${thousands(tokensPerStep)} tokens` +
    `${first > 0 ? `, going on at ${first}` : ""}; ${deviceText}`,
);
if (options.reportPort !== undefined) {
  const { url } = await report.serve({ port: options.reportPort });
  console.log(`The report is at ${url} while training goes on.`);
}

/** Keeps what the model wrote before the next step. */
function addSample(text: string): void {
  samples.push({ step, text });
  report.sample(step, text);
}

/** Keeps a checkpoint and the report. */
async function keepAll(): Promise<void> {
  await saveState();
  await keep("report", () => report.write());
}

let timed = 0, seconds = 0, saved = performance.now();
{
  using bar = progress(steps, first, tokensPerStep);
  // To read a figure is to wait for it: a GPU is asked for those of several steps at once.
  const every = device.isGpu ? 10 : 1;
  let told = first, from = performance.now();

  /** Reads what the steps since the last time came to, and tells it. */
  const tell = async () => {
    const count = step - told;
    if (count === 0) return;
    const parts = [curve.train, curve.norm, curve.load].map((figures) => slice(figures as Tensor<"f32", [number]>, 0, told, step));
    const [losses, norms, shares] = await Promise.all(parts.map((part) => part.read()));
    for (const part of parts) part.dispose();
    const took = (performance.now() - from) / 1000;
    if (told >= first + 3) { // the first steps also warm caches and compilers
      timed += count;
      seconds += took;
    }
    for (let i = 0; i < count; i++) {
      const load = [...shares!.subarray(i * c.experts, (i + 1) * c.experts)], speed = tokensPerStep * count / took;
      report.add(told + i, { loss: losses![i], norm: norms![i], rate: rate(told + i), speed, ...loads(load) });
    }
    const load = [...shares!.subarray((count - 1) * c.experts)];
    bar.update(step, losses![count - 1]!, load.length > 0 ? load : undefined);
    told = step;
    from = performance.now();
  };

  while (step < steps && step < options.stopAt) {
    await setImmediate(); // lets the runtime hear of Ctrl-C
    if (stopping) break;
    const mark = Math.round(step * marks / steps);
    if (step === stepOfMark(mark)) {
      await tell();
      const look = await heldOutLoss(run.params, text.heldOut, device, c, 4 * c.batch);
      using place = slice(curve.heldOut, 0, mark, mark + 1);
      place.write([look]);
      report.add(step, { heldOut: look });
      if (mark % 2 === 0) addSample(await write(run.params, text.prompt, 100, plan.seed, device, c));
      from = performance.now();
    }
    const { loss, norm, load } = trainStep(run, rate(step));
    put(curve.train, step, loss);
    put(curve.norm, step, norm);
    if (load) put(curve.load, step, load);
    for (const x of [loss, norm, load]) x?.dispose();
    step++;
    if ((step - first) % every === 0) await tell();
    if (performance.now() - saved > 60_000) {
      await tell();
      await keepAll();
      if (unkept !== undefined) {
        console.error(`\n${unkept}\n${checkpoint} holds step ${kept}. Make room there: the next is saved in a minute.`);
      }
      saved = from = performance.now();
    }
  }
  await tell();
}
await keepAll();

// ── What came of it ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const losses = await curve.train.read(), looks = await curve.heldOut.read();
const finished = step === steps;
const heldOut = finished ? await heldOutLoss(run.params, text.heldOut, device, c) : NaN;
const passage = finished ? await write(run.params, text.prompt, 400, plan.seed, device, c) : "";
if (finished) {
  report.add(steps, { heldOut });
  addSample(passage);
}
const heldOutPoints = Array.from(looks, (value, mark): [number, number] => [stepOfMark(mark), value]);
const drawn = lossCurve({ title: `${text.name}, model ${model}`, train: losses, heldOut: [...heldOutPoints, [steps, heldOut]] });
await keep("report", async () => {
  await report.close({ state: finished ? "finished" : "stopped" });
  await writeFile(picture, drawn);
});

if (finished) {
  console.log(`\n${passage}\n\nHeld-out loss ${heldOut.toFixed(3)} nats a byte after ${steps} steps.`);
  if (unkept === undefined) console.log(`The model is in ${checkpoint}, its report in ${page}.`);
} else {
  console.log(`\nStopped at step ${step} of ${steps}${unkept === undefined ? `; the state is in ${checkpoint}` : ""}.`);
  if (unkept === undefined) console.log("The same command with --resume goes on from there.");
}
if (unkept !== undefined) {
  console.error(`\n${unkept}\n${checkpoint} holds step ${kept}. Make room there; the same command with --resume goes on from that step.`);
  process.exitCode = 1;
}
if (options.json) {
  const orNull = (value: number) => Number.isFinite(value) ? value : null;
  console.log(JSON.stringify({
    ...{ runtime, runtime_version: process.versions[runtime], ...facts },
    ...{ size, model: dense ? "dense" : "experts", seed: plan.seed, steps, steps_done: step, finished },
    tokens_per_second: orNull(Math.round(timed * tokensPerStep / seconds)),
    ...{ first_loss: orNull(losses[0]!), last_loss: orNull(losses[step - 1] ?? NaN), heldout_loss: orNull(heldOut) },
    peak_memory_bytes: memory().peakBytes,
    ...{ checkpoint, report: page, picture, passage },
  }));
}
if (stopping && !finished && unkept === undefined) process.exitCode = 130;
