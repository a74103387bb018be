/**
 * Group `demo`: the demo's training step, tokens a second, with experts and dense, against the same model in PyTorch, eager or compiled, whichever is
 * faster here. Both run as programs of their own, in turn, round after round.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { failureOf, figure, type Line, median, othersMax, pairedQuartiles, watchOthers } from "./harness.ts";
import { noTorch } from "./peers/torch.ts";

/** What to run. */
export interface DemoOptions {
  /** About how long each program trains in one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly threads: number;
  /** The tiny size of the model, which has no peer. */
  readonly tiny: boolean;
  /** Which of the two models, by the name of its op. */
  readonly wants: (description: string) => boolean;
}

const example = fileURLToPath(new URL("../examples/train.ts", import.meta.url));
const peer = fileURLToPath(new URL("./peers/train_torch.py", import.meta.url));

/** Trains each wanted model in turn with PyTorch and yields a line for it. Without `TILEWORK_TORCH_PYTHON` the peer's figures are null. */
export async function* demoLines(options: DemoOptions): AsyncGenerator<Line> {
  for (const dense of [false, true]) if (options.wants(opOf(dense))) yield await modelLine(dense, options);
}

function opOf(dense: boolean): string {
  return dense ? "train_step_dense" : "train_step";
}

/** Tokens a second of each round, and what other processes took meanwhile. */
interface Rounds {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly others: number | undefined;
  /** Why the peer was left out. */
  readonly missing?: string;
}

async function modelLine(dense: boolean, options: DemoOptions): Promise<Line> {
  const { rounds, threads, tiny } = options, peer = tiny ? "the tiny size has no peer" : await fasterPeer(threads, dense);
  // A short run tells how many steps fill the time.
  const ourSteps = tiny ? 5 : stepsIn(options.seconds, trainOurs(10, threads, dense, tiny));
  let measured = await trainInTurn(dense, options, ourSteps, peer);
  if ((measured.others ?? 0) > othersMax && !tiny) {
    const again = await trainInTurn(dense, { ...options, rounds: 2 * rounds }, ourSteps, measured.missing ?? peer);
    if (again.others! < measured.others!) measured = again;
  }
  const { ours, theirs, others, missing } = measured;
  const line = {
    ...{
      group: "demo",
      op: `${opOf(dense)}${tiny ? "_tiny" : ""}`,
      shape: tiny ? "tiny" : "16x128x128",
      layout: "",
      dtype: "f32",
      threads,
    },
    ...{ ours: figure(median(ours)), peer_name: "pytorch", unit: "tokens/s", rounds: ours.length, others },
    ...((others ?? 0) > othersMax ? { disturbed: true } : {}),
  };
  if (missing !== undefined || typeof peer === "string") return { ...line, peer: null, ratio: null, missing };
  const ratio = figure(median(ours) / median(theirs)), { version, compiled } = peer;
  return { ...line, peer: figure(median(theirs)), ratio, pytorch: version, compiled, paired: pairedQuartiles(ours, theirs) };
}

/** Trains both in turn, round after round; a peer that fails is left out from then on, and a text says why there is none. */
async function trainInTurn(
  dense: boolean,
  { seconds, rounds, threads, tiny }: DemoOptions,
  ourSteps: number,
  peer: Rival | string,
): Promise<Rounds> {
  const ours: number[] = [], theirs: number[] = [], watched = watchOthers();
  let missing = typeof peer === "string" ? peer : undefined;
  const runs = [
    () => void ours.push(trainOurs(ourSteps, threads, dense, tiny)),
    async () => {
      if (typeof peer === "string" || missing !== undefined) return;
      const train = () => theirs.push(peer.train(stepsIn(seconds, peer.tokensPerSecond)).tokensPerSecond);
      missing = await failureOf({ peer: true }, train);
    },
  ];
  for (let round = 0; round < rounds; round++) for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run();
  const others = watched();
  return { ours, theirs, others: others && figure(Math.max(0, others)), missing };
}

function stepsIn(seconds: number, tokensPerSecond: number): number {
  return Math.max(5, Math.round(seconds * tokensPerSecond / (16 * 128)));
}

/** Tokens a second of the demo. */
function trainOurs(steps: number, threads: number, dense: boolean, tiny: boolean): number {
  const out = mkdtempSync(join(tmpdir(), "tilework-bench-"));
  const options = ["--steps", String(steps), "--threads", String(threads), "--size", tiny ? "tiny" : "base", "--json", "--out", out];
  if (dense) options.push("--dense");
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  try {
    return Number(lastJson(process.execPath, [...runtime, example, ...options]).tokens_per_second);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** PyTorch's program, ready to be run. */
interface Rival {
  readonly compiled: boolean;
  readonly version: unknown;
  readonly tokensPerSecond: number;
  train(steps: number): { tokensPerSecond: number; version: unknown };
}

/** PyTorch's program, compiled where that is faster; where it cannot compile, as without a C++ compiler, eager. A text says why there is none. */
async function fasterPeer(threads: number, dense: boolean): Promise<Rival | string> {
  const python = process.env.TILEWORK_TORCH_PYTHON;
  if (!python) return noTorch;
  const one = (compiled: boolean): Rival => {
    const train = (steps: number) => {
      const options = [
        "--threads",
        String(threads),
        "--steps",
        String(steps),
        ...(dense ? ["--dense"] : []),
        ...(compiled ? ["--compile"] : []),
      ];
      const { tokens_per_second, torch } = lastJson(python, [peer, ...options]);
      return { tokensPerSecond: Number(tokens_per_second), version: torch };
    };
    return { compiled, train, ...train(10) };
  };
  const found: Rival[] = [];
  const eager = await failureOf({ peer: true }, () => found.push(one(false)));
  const compiled = eager ?? await failureOf({ peer: true }, () => found.push(one(true)));
  if (eager === undefined && compiled !== undefined) console.error(`PyTorch could not compile the model: ${compiled.split("\n")[0]}`);
  return found.toSorted((x, y) => y.tokensPerSecond - x.tokensPerSecond)[0] ?? eager!;
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
  if (status !== 0) {
    throw new Error(`${[program, ...args].join(" ")} ended with status ${status}: ${stderr.trim().slice(-300).replace(/\s+/g, " ")}`);
  }
  const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (!(result.tokens_per_second > 0)) throw new Error(`${[program, ...args].join(" ")} tells no tokens_per_second`);
  return result;
}
