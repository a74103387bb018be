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
import { demoLines } from "./demo.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string" }, rounds: { type: "string" }, threads: { type: "string" }, tiny: { type: "boolean" } },
  args: process.argv.slice(2),
});
const seconds = Number(values.seconds ?? 15), rounds = Number(values.rounds ?? 3), threads = Number(values.threads ?? 2);
for await (const line of demoLines({ seconds, rounds, threads, tiny: values.tiny ?? false, wants: () => true })) print(line);
