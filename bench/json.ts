/**
 * Measures this library against its peers and prints one JSON line a case and peer; a readable summary goes to stderr.
 *
 *     deno task bench:json [options]          bun bench/json.ts [options]
 *
 *     --filter NAME,…      only these groups: gemm, bursts, attention, grouped, rows, optimizers, layers, demo; `training` is all but the first two.
 *                          NAME/TEXT is only the cases whose description (op or name, layout, shape) holds the text, as in `rows/softmax` or
 *                          `gemm/mlp-up NT`
 *     --tiny               sizes that only show that everything runs
 *     --threads 1,2        numbers of threads
 *     --seconds S          time for the rounds of a case, 3
 *     --rounds N           at least so many rounds, 11 (5 where a round takes seconds)
 *     --quiet S            how long a case may wait for moments in which other processes are idle
 *
 * Of group `gemm`:
 *
 *     --against NAME,…     only these peers
 *     --part NAME,…        only these parts: call, rate, busy
 *     --long               the largest cases too
 *
 * @module
 */
import process from "node:process";
import { attentionLines } from "./attention.ts";
import { burstLines } from "./bursts.ts";
import { demoLines } from "./demo.ts";
import { choose } from "./filter.ts";
import { gemmLines } from "./gemm.ts";
import { groupedLines } from "./grouped.ts";
import { type Line, type Options, parseOptions, print } from "./harness.ts";
import { optimizerLines } from "./optimizers.ts";
import { layerLines } from "./layers.ts";
import { loadPeers, type Peers } from "./peers/load.ts";
import { rowLines } from "./rows.ts";

let loaded: Peers | undefined;

const training = { tags: ["training"] };
const groups = {
  gemm: { tags: [], lines: gemm },
  bursts: { tags: [], lines: burstLines },
  attention: { ...training, lines: attentionLines },
  grouped: { ...training, lines: groupedLines },
  rows: { ...training, lines: rowLines },
  optimizers: { ...training, lines: optimizerLines },
  layers: { ...training, lines: layerLines },
  demo: { ...training, lines: demo },
};

async function* gemm(options: Options): AsyncGenerator<Line> {
  loaded = await loadPeers({ light: options.tiny, names: options.against });
  yield* gemmLines(options, loaded);
}

function demo({ tiny, wants }: Options): AsyncGenerator<Line> {
  return demoLines({ seconds: tiny ? 1 : 10, rounds: tiny ? 1 : 3, threads: 2, tiny, wants });
}

const options = parseOptions(process.argv.slice(2));
const { chosen, unmet } = choose(options.filter, groups);
for (const { group, wants } of chosen) {
  console.error(`${group}:`);
  for await (const line of groups[group].lines({ ...options, wants })) print(line);
}
for (const peer of loaded?.present ?? []) peer.close?.();
const missed = unmet();
if (missed.length > 0) console.error(`--filter ${missed.join(",")}: no case is called so`);
process.exit(missed.length > 0 ? 2 : 0); // peers keep threads that would hold the process
