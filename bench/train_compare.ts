/**
 * Trains the demo's models, with experts and dense, in turn with PyTorch and prints a JSON line for each.
 *
 *     deno task bench:train [--seconds S] [--rounds N] [--threads T] [--tiny]
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { print } from "./harness.ts";
import { trainingLines } from "./training.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string" }, rounds: { type: "string" }, threads: { type: "string" }, tiny: { type: "boolean" } },
  args: process.argv.slice(2),
});
const seconds = Number(values.seconds ?? 15), rounds = Number(values.rounds ?? 3), threads = Number(values.threads ?? 2);
for await (const line of trainingLines({ seconds, rounds, threads, tiny: values.tiny ?? false })) print(line);
