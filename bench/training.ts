/**
 * Group `training`: the demo's training step, tokens a second, against the same model in PyTorch eager. Both run as programs of
 * their own, in turn, round after round.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { figure, type Line, median, pairedQuartiles, watchOthers } from "./harness.ts";

/** What to run. */
export interface TrainingOptions {
  /** About how long each program trains in one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly threads: number;
  /** The tiny size of the model, which has no peer. */
  readonly tiny: boolean;
}

const example = fileURLToPath(new URL("../examples/train.ts", import.meta.url));
const peer = fileURLToPath(new URL("./peers/train_torch.py", import.meta.url));

/** Trains in turn with PyTorch and yields one line. Without `TILEWORK_TORCH_PYTHON` the peer's figures are null. */
export async function* trainingLines(options: TrainingOptions): AsyncGenerator<Line> {
  const { seconds, rounds, threads, tiny } = options;
  const python = tiny ? undefined : process.env.TILEWORK_TORCH_PYTHON;
  const missing = tiny ? "the tiny size has no peer" : "TILEWORK_TORCH_PYTHON names no Python with PyTorch";
  // A short run of each tells how many steps fill the time.
  const steps = (tokensPerSecond: number) => Math.max(5, Math.round(seconds * tokensPerSecond / (16 * 128)));
  const first = tiny ? undefined : [trainOurs(10, threads, tiny), python ? trainPeer(python, 10, threads) : undefined];
  const ourSteps = first ? steps(Number(first[0]?.tokens_per_second)) : 5;
  const peerSteps = steps(Number(first?.[1]?.tokens_per_second));
  const ours: number[] = [], theirs: number[] = [];
  let version: unknown;
  const watched = watchOthers();
  for (let round = 0; round < rounds; round++) {
    const runs = [
      () => ours.push(Number(trainOurs(ourSteps, threads, tiny).tokens_per_second)),
      () => {
        if (!python) return;
        const result = trainPeer(python, peerSteps, threads);
        version = result.torch;
        theirs.push(Number(result.tokens_per_second));
      },
    ];
    for (const run of round % 2 === 0 ? runs : runs.reverse()) run();
  }
  const busy = watched();
  const others = busy && figure(busy);
  const line = {
    group: "training",
    op: tiny ? "train_step_tiny" : "train_step",
    shape: tiny ? "tiny" : "16x128x128",
    layout: "",
    dtype: "f32",
    threads,
    ours: figure(median(ours)),
    peer_name: "pytorch",
    unit: "tokens/s",
  };
  if (theirs.length === 0) yield { ...line, peer: null, ratio: null, missing, rounds, others };
  else {
    const ratio = figure(median(ours) / median(theirs));
    yield { ...line, peer: figure(median(theirs)), ratio, pytorch: version, rounds, paired: pairedQuartiles(ours, theirs), others };
  }
}

function trainOurs(steps: number, threads: number, tiny: boolean): Record<string, unknown> {
  const out = mkdtempSync(join(tmpdir(), "tilework-bench-"));
  const options = ["--steps", String(steps), "--threads", String(threads), "--size", tiny ? "tiny" : "base", "--json", "--out", out];
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  try {
    return lastJson(process.execPath, [...runtime, example, ...options]);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function trainPeer(python: string, steps: number, threads: number): Record<string, unknown> {
  return lastJson(python, [peer, "--threads", String(threads), "--steps", String(steps)]);
}

/** Runs a program and reads the last line of its stdout. */
function lastJson(program: string, args: string[]): Record<string, unknown> {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, CUDA_VISIBLE_DEVICES: "" },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (error) throw new Error(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")} ended with status ${status}:\n${stderr.trim().slice(-2000)}`);
  const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (!(result.tokens_per_second > 0)) throw new Error(`${[program, ...args].join(" ")} tells no tokens_per_second`);
  return result;
}
