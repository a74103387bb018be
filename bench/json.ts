/**
 * Measures this library against its peers and prints one JSON line a case and peer; a readable summary goes to stderr.
 *
 *     deno task bench:json [--filter GROUP] [--tiny] [--threads 1,2] [--seconds S] [--quiet S]
 *     bun bench/json.ts    [--filter GROUP] [--tiny] [--threads 1,2] [--seconds S] [--quiet S]
 *
 * Groups: `matmul`, `training`.
 *
 * @module
 */
import process from "node:process";
import { type Line, type Options, parseOptions, print } from "./harness.ts";
import { matmulLines } from "./matmul.ts";
import { loadPeers, type Peers } from "./peers/load.ts";
import { trainingLines } from "./training.ts";

const groups: Record<string, (options: Options, peers: () => Promise<Peers>) => AsyncGenerator<Line>> = {
  matmul: async function* (options, peers) {
    yield* matmulLines(options, await peers());
  },
  training: (options) => trainingLines({ seconds: options.tiny ? 1 : 10, rounds: options.tiny ? 1 : 3, threads: 2, tiny: options.tiny }),
};

const options = parseOptions(process.argv.slice(2));
const chosen = Object.keys(groups).filter((name) => options.filter === undefined || options.filter === name);
if (chosen.length === 0) {
  console.error(`--filter ${options.filter}: there is no such group; there are ${Object.keys(groups).join(", ")}`);
  process.exit(2);
}
let loaded: Promise<Peers> | undefined;
const peers = () => loaded ??= loadPeers(options.tiny);
for (const name of chosen) {
  console.error(`${name}:`);
  for await (const line of groups[name](options, peers)) print(line);
}
for (const peer of (await loaded)?.present ?? []) peer.close?.();
process.exit(0); // peers keep threads that would hold the process
