/**
 * Group `demo`: the demo's training step, tokens a second, with experts and dense, against the same model in PyTorch, eager or compiled,
 * whichever is faster here. Both run as programs of their own, in turn, round after round.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { failureOf, figure, isDisturbed, leastDisturbed, type Line, median, pairedQuartiles, reasonOf, watchOthers } from "./harness.ts";
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

async function modelLine(dense: boolean, options: DemoOptions): Promise<Line> {
  const { seconds, rounds, threads, tiny } = options, rival = tiny ? "the tiny size has no peer" : fasterPeer(threads, dense);
  // A short run tells how many steps fill the time.
  const steps = tiny ? 5 : stepsIn(seconds, trainOurs(10, threads, dense, tiny));
  const ourTurn = () => trainOurs(steps, threads, dense, tiny);
  const theirTurn = typeof rival === "string" ? rival : () => rival.train(stepsIn(seconds, rival.tokensPerSecond)).tokensPerSecond;
  const run = (before?: Rounds) => inTurn(before ? 2 * rounds : rounds, ourTurn, before?.missing ?? theirTurn);
  const { ours, theirs, others, missing } = tiny ? await run() : await leastDisturbed(run);
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
    ...(isDisturbed(others) ? { disturbed: true } : {}),
  };
  if (missing !== undefined || typeof rival === "string") return { ...line, peer: null, ratio: null, missing };
  const ratio = figure(median(ours) / median(theirs)), { version, compiled } = rival;
  return { ...line, peer: figure(median(theirs)), ratio, pytorch: version, compiled, paired: pairedQuartiles(ours, theirs) };
}

/** What both reached in each round, and what other processes took meanwhile. */
export interface Rounds {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly others: number | undefined;
  /** Why the peer was left out. */
  readonly missing?: string;
}

/** Lets both run in turn, round after round. A peer that fails is left out from then on; a text instead of one says why there is none. */
export async function inTurn(rounds: number, ourTurn: () => number, theirTurn: (() => number) | string): Promise<Rounds> {
  const ours: number[] = [], theirs: number[] = [], watched = watchOthers();
  let missing = typeof theirTurn === "string" ? theirTurn : undefined;
  const turns = [
    () => void ours.push(ourTurn()),
    async () => {
      if (typeof theirTurn === "string" || missing !== undefined) return;
      missing = await failureOf({ peer: true }, () => theirs.push(theirTurn()));
    },
  ];
  for (let round = 0; round < rounds; round++) for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
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

/**
 * PyTorch's program, compiled if that is faster; if it cannot compile, as without a C++ compiler, eager. A text says why there is none.
 */
function fasterPeer(threads: number, dense: boolean): Rival | string {
  const python = process.env.TILEWORK_TORCH_PYTHON;
  if (!python) return noTorch;
  const one = (compiled: boolean): Rival | string => {
    const train = (steps: number) => {
      const options = [...(dense ? ["--dense"] : []), ...(compiled ? ["--compile"] : [])];
      const { tokens_per_second, torch } = lastJson(python, [peer, "--threads", String(threads), "--steps", String(steps), ...options]);
      return { tokensPerSecond: Number(tokens_per_second), version: torch };
    };
    try {
      return { compiled, train, ...train(10) };
    } catch (error) {
      return reasonOf(error);
    }
  };
  const eager = one(false);
  if (typeof eager === "string") return eager;
  const compiled = one(true);
  if (typeof compiled === "string") {
    console.error(`PyTorch could not compile the model: ${compiled}`);
    return eager;
  }
  return compiled.tokensPerSecond > eager.tokensPerSecond ? compiled : eager;
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
