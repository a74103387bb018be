/**
 * Short work after a rest: two threads against one, on calls that come in bursts of some milliseconds, as a server's do. Threads that sleep have to be woken,
 * and have to be woken on the core that is idle; a benchmark that calls without a pause finds them awake and sees neither.
 *
 * @module
 */
import { type Case, caseFlops, describe, gemmCases, opOf, shapeOf } from "./gemm_cases.ts";
import { type Contender, figure, interleave, type Line, median, type Options, pairedQuartiles } from "./harness.ts";
import { prepareOurs } from "./ours.ts";
import { checkResults, makeProblem } from "./problem.ts";

/** How long nobody calls, in milliseconds; 0 is a stream of calls. */
const rests = [0, 5, 20];

/** Those of group gemm that a burst is made of. */
const bursts = ["square-256 NN", "square-512 NN", "batch-64 NN", "backward-512 NT"];

function burstCases({ tiny }: Options): readonly Case[] {
  const all = gemmCases({ tiny, long: false });
  return tiny ? all.slice(0, 1) : all.filter((each) => bursts.some((name) => describe(each).startsWith(`${name} `)));
}

/** A contender whose turns are each a burst after a rest. */
function resting(contender: Contender, restMs: number): Contender {
  if (restMs === 0) return contender;
  return {
    ...contender,
    async time(calls) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      return await contender.time(calls);
    },
  };
}

/** The lines of group `bursts`: ours is the rate on two threads or more, the peer's that on one, the ratio the speed-up. */
export async function* burstLines(options: Options): AsyncGenerator<Line> {
  for (const each of burstCases(options)) {
    const op = opOf(each), problem = makeProblem({ ...each, op });
    for (const threads of options.threads.filter((count) => count > 1)) {
      for (const restMs of options.tiny ? [5] : rests) {
        const about = `${describe(each)} after ${restMs} ms`;
        if (!options.wants(about)) continue;
        const both = [1, threads].map((count) => ({ name: `ours on ${count}`, threads: count, ...prepareOurs(problem, count) }));
        await checkResults(problem, both);
        const { seconds, rounds, others } = await interleave(both.map((contender) => resting(contender, restMs)), options);
        for (const contender of both) await contender.dispose?.();
        const rate = (series: readonly number[]) => figure(caseFlops(each) / median(series) / 1e9);
        const paired = pairedQuartiles(seconds[0], seconds[1]);
        yield {
          ...{ group: "bursts", op: op === "product" ? "matmul" : op, case: each.name, kind: `after ${restMs} ms` },
          ...{ shape: shapeOf(each), layout: each.layout },
          ...{ dtype: "f32", threads, unit: "GFLOP/s", ours: rate(seconds[1]), peer: rate(seconds[0]), peer_name: "ours on 1" },
          ...{ ratio: paired[1], paired, rounds, others },
        };
      }
    }
  }
}
