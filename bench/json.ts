/**
 * Measures this library against its peers and prints one JSON line a case and peer; a readable summary goes to stderr.
 *
 *     deno task bench:json [options]          bun bench/json.ts [options]
 *
 *     --filter GROUP       only this group: gemm, attention, grouped, rows, optimizers, training
 *     --tiny               sizes that only show that everything runs
 *     --threads 1,2        numbers of threads
 *     --seconds S          time for the rounds of a case, 3
 *     --rounds N           at least so many rounds, 11 (5 where a round takes seconds)
 *     --quiet S            how long a case may wait for moments in which other processes are idle
 *
 * Of group `gemm`:
 *
 *     --against NAME,…     only these peers
 *     --case TEXT,…        only cases whose name, layout or shape holds one of the texts
 *     --part NAME,…        only these parts: call, rate, busy
 *     --long               the largest cases too
 *
 * @module
 */
import process from "node:process";
import { attentionLines } from "./attention.ts";
import { gemmLines } from "./gemm.ts";
import { groupedLines } from "./grouped.ts";
import { type Line, type Options, parseOptions, print } from "./harness.ts";
import { loadPeers, type Peers } from "./peers/load.ts";
import { optimizerLines } from "./optimizers.ts";
import { rowLines } from "./rows.ts";
import { trainingLines } from "./training.ts";

const groups: Record<string, (options: Options, peers: () => Promise<Peers>) => AsyncGenerator<Line>> = {
  gemm: async function* (options, peers) {
    yield* gemmLines(options, await peers());
  },
  attention: (options) => attentionLines(options),
  grouped: (options) => groupedLines(options),
  rows: async function* (options, peers) {
    yield* rowLines(options, await peers());
  },
  optimizers: (options) => optimizerLines(options),
  training: (options) => trainingLines({ seconds: options.tiny ? 1 : 10, rounds: options.tiny ? 1 : 3, threads: 2, tiny: options.tiny }),
};

const options = parseOptions(process.argv.slice(2));
const chosen = Object.keys(groups).filter((name) => options.filter === undefined || options.filter === name);
if (chosen.length === 0) {
  console.error(`--filter ${options.filter}: there is no such group; there are ${Object.keys(groups).join(", ")}`);
  process.exit(2);
}
let loaded: Promise<Peers> | undefined;
const peers = () => loaded ??= loadPeers({ light: options.tiny, names: options.against });
for (const name of chosen) {
  console.error(`${name}:`);
  for await (const line of groups[name](options, peers)) print(line);
}
for (const peer of (await loaded)?.present ?? []) peer.close?.();
process.exit(0); // peers keep threads that would hold the process
