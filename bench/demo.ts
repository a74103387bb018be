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
import { figure, type Line, median, pairedQuartiles, watchOthers } from "./harness.ts";

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
  for (const dense of [false, true]) if (options.wants(opOf(dense))) yield modelLine(dense, options);
}

function opOf(dense: boolean): string {
  return dense ? "train_step_dense" : "train_step";
}

function modelLine(dense: boolean, { seconds, rounds, threads, tiny }: DemoOptions): Line {
  const python = tiny ? undefined : process.env.TILEWORK_TORCH_PYTHON;
  const missing = tiny ? "the tiny size has no peer" : "TILEWORK_TORCH_PYTHON names no Python with PyTorch";
  // A short run of each tells how many steps fill the time.
  const steps = (tokensPerSecond: number) => Math.max(5, Math.round(seconds * tokensPerSecond / (16 * 128)));
  const ourSteps = tiny ? 5 : steps(trainOurs(10, threads, dense, tiny));
  const peer = python === undefined ? undefined : fasterPeer(python, threads, dense);
  const ours: number[] = [], theirs: number[] = [];
  const watched = watchOthers();
  for (let round = 0; round < rounds; round++) {
    const runs = [
      () => ours.push(trainOurs(ourSteps, threads, dense, tiny)),
      () => peer && theirs.push(peer.train(steps(peer.tokensPerSecond)).tokensPerSecond),
    ];
    for (const run of round % 2 === 0 ? runs : runs.reverse()) run();
  }
  const busy = watched();
  const others = busy && figure(busy);
  const line = {
    group: "demo",
    op: `${opOf(dense)}${tiny ? "_tiny" : ""}`,
    shape: tiny ? "tiny" : "16x128x128",
    layout: "",
    dtype: "f32",
    threads,
    ours: figure(median(ours)),
    peer_name: "pytorch",
    unit: "tokens/s",
  };
  if (peer === undefined) return { ...line, peer: null, ratio: null, missing, rounds, others };
  const ratio = figure(median(ours) / median(theirs)), { version, compiled } = peer;
  return {
    ...line,
    peer: figure(median(theirs)),
    ratio,
    pytorch: version,
    compiled,
    rounds,
    paired: pairedQuartiles(ours, theirs),
    others,
  };
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

/** PyTorch's program, compiled where that is faster; where it cannot compile, as without a C++ compiler, eager. */
function fasterPeer(python: string, threads: number, dense: boolean) {
  const one = (compiled: boolean) => {
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
  const eager = one(false);
  try {
    const compiled = one(true);
    return compiled.tokensPerSecond > eager.tokensPerSecond ? compiled : eager;
  } catch (error) {
    console.error(`PyTorch could not compile the model: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
    return eager;
  }
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
