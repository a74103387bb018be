/**
 * Where the time of the demo's training step goes, op by op: beside what the machine's own multiply-adds and copies would take for it, the largest loss first.
 * Ends with exit code 1 if the rows and what lies between them come to less than nine tenths of the step, half of it with `--tiny`, whose times waver.
 *
 *     deno run -A bench/step.ts [--model dense,experts] [--threads 1,2] [--seconds S] [--json] [--tiny]        bun bench/step.ts …
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { adamW, clipByGlobalNorm, cpu, cpuDevice, random, scope, treeMap, valueAndGrad } from "@tilework/tilework";
import { configs, dense, init, trainingLoss } from "../examples/model.ts";
import { batchAt } from "../examples/text.ts";
import { machine, parseOptions } from "./harness.ts";
import { watchNativeCalls } from "./native_calls.ts";
import { peak } from "./peers/peak.ts";
import { type Profile, profile } from "./step_profile.ts";

/** A step of the demo's model in training. Its text is made up, and the same in each step, so that all steps are alike. */
function training(model: string, threads: number, tiny: boolean): () => void {
  const size = tiny ? configs.tiny : configs.base, c = model === "dense" ? dense(size) : size;
  const rng = random(cpu, 1), device = cpuDevice({ threads }), params = treeMap(init(rng, c), (x) => x.to(device));
  const optimizer = adamW(params, { betas: [0.9, 0.95], weightDecay: 0.1 }), lossAndGrads = valueAndGrad(trainingLoss);
  const text = Uint8Array.from({ length: 1 << 16 }, (_, i) => (i * i) % 251);
  const [ids, next] = batchAt(text, Array.from({ length: c.batch }, (_, i) => 1000 * i), device, c);
  return () =>
    scope(() => {
      const { grads } = lossAndGrads(params, ids, next, c);
      clipByGlobalNorm(grads, 1);
      optimizer.step(params, grads, 1e-4);
    });
}

function table(model: string, threads: number, p: Profile): string {
  const columns = (op: string, calls: unknown, ms: string, share: string, rate: string, roof: string, loss: string) =>
    [op.padEnd(58), String(calls).padStart(5), ms.padStart(8), share.padStart(7), rate.padStart(14), roof.padStart(8), loss.padStart(8)]
      .join(" ");
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`,
    beside = (what: string, calls: unknown, ms: number) => columns(what, calls, ms.toFixed(2), percent(ms / p.ms), "", "", "");
  return [
    `${model}, ${threads} ${
      threads === 1 ? "thread" : "threads"
    }: ${p.ms} ms, ${p.gflop} Gflop, ${p.of_peak} of the peak of ${p.peak} GFLOP/s; ` +
    `${p.runs} steps, ${percent(p.accounted)} accounted for, ${p.rests} rests beyond 50 µs, others took ${p.others ?? "?"} cores`,
    columns("", "calls", "ms", "share", "rate", "roof ms", "loss ms"),
    ...p.rows.map((r) =>
      columns(
        `${r.op} ${r.shape}`,
        r.calls,
        r.ms.toFixed(2),
        percent(r.share),
        `${r.rate} ${r.unit}`,
        r.roof_ms.toFixed(2),
        r.loss_ms.toFixed(2),
      )
    ),
    beside("tensors made, viewed and freed", p.other_calls, p.other_ms),
    beside("TypeScript and the collector", "", p.outside_ms),
  ].join("\n");
}

const { values } = parseArgs({
  options: {
    ...{ model: { type: "string", default: "dense,experts" }, threads: { type: "string", default: "1,2" }, seconds: { type: "string" } },
    ...{ tiny: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
  },
  args: process.argv.slice(2),
});
const { tiny, json } = values, seconds = Number(values.seconds ?? (tiny ? 0.3 : 8));
const watched = watchNativeCalls(), ceilings = await peak(), { threads } = parseOptions(["--threads", values.threads]);
for (const model of values.model.split(",")) {
  if (model !== "dense" && model !== "experts") throw new RangeError(`--model ${model}: wants dense or experts`);
  for (const count of threads) {
    const step = training(model, count, tiny);
    for (let i = 0; i < (tiny ? 50 : 5); i++) step();
    const p = await profile(watched, step, ceilings, count, seconds);
    console.log(json ? JSON.stringify({ model, threads: count, ...p, ...machine() }) : `${table(model, count, p)}\n`);
    if (p.accounted > (tiny ? 0.5 : 0.9)) continue;
    console.error(`the calls and what lies between them come to ${p.accounted} of a step`);
    process.exitCode = 1;
  }
}
