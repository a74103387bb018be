/**
 * The `deno bench` suite of matrix products: this library as the baseline of each group, beside the peers. Results are checked before
 * anything is timed. `TILEWORK_BENCH_TINY=1` runs the tiny sizes. Figures to quote come from `deno task bench:json`, whose contenders
 * take turns; here each runs by itself for a while.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import process from "node:process";
import { caseFlops, describe, gemmCases, opOf } from "./gemm_cases.ts";
import { type Candidate, enter } from "./measure.ts";
import { prepareOurs } from "./ours.ts";
import { loadPeers } from "./peers/load.ts";
import { makeProblem, reference } from "./problem.ts";

const tiny = process.env.TILEWORK_BENCH_TINY === "1";
// A peer in another process times its own calls, which this suite cannot ask for. What is not there yet would take minutes.
const peers = await loadPeers({ light: true, names: undefined, inProcess: true });

for (const threads of [1, 2].filter((count) => count <= availableParallelism())) {
  for (const each of gemmCases({ tiny, long: false })) {
    if (caseFlops(each) > 5e9) continue; // the largest take a minute each here
    const problem = makeProblem({ ...each, op: opOf(each) });
    const known = reference(problem), group = `${describe(each)}, ${threads} thread${threads === 1 ? "" : "s"}`;
    const all: Candidate[] = [{ name: "ours", threads, reference: known, prepare: () => prepareOurs(problem, threads) }];
    for (const peer of peers.present.filter(({ dtypes }) => dtypes.includes(each.dtype))) {
      all.push({ name: peer.name, threads, peer: true, reference: known, prepare: () => peer.prepare(problem, threads) });
    }
    const { contenders, missing, wrong } = await enter(group, all);
    for (const [name, why] of wrong) console.error(`${group}: ${name} is wrong: ${why}`);
    for (const why of missing.values()) console.error(`${group}: ${why}`);
    for (const { name, call } of contenders) {
      if (!call) continue;
      Deno.bench({ name, group, baseline: name === "ours", fn: call });
    }
  }
}
