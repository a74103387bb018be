/**
 * Short work after a rest: two threads against one, on calls that come in bursts of some milliseconds, as a server's do. Threads that sleep have to be woken,
 * and have to be woken on the core that is idle; a benchmark that calls without a pause finds them awake and sees neither. How much of two cores a burst can
 * have at all depends on the machine, on how long a core takes to wake up and to gain speed: the multiply-add loop in the same bursts, on threads of its own,
 * says so.
 *
 * @module
 */
import { type Case, caseFlops, describe, gemmCases, opOf, shapeOf } from "./gemm_cases.ts";
import { figure, type Line, median, type Options, type Prepared } from "./harness.ts";
import { measure, type Measurement } from "./measure.ts";
import { prepareOurs } from "./ours.ts";
import { peak } from "./peers/peak.ts";
import { makeProblem, reference } from "./problem.ts";

/** How long nobody calls, in milliseconds; 0 is a stream of calls. */
const rests = [0, 5, 20];

/** Those of group gemm that a burst is made of. */
const bursts = ["square-256 NN", "square-512 NN", "batch-64 NN", "backward-512 NT"];

function burstCases({ tiny }: Options): readonly Case[] {
  const all = gemmCases({ tiny, long: false });
  return tiny
    ? all.slice(0, 1)
    : all.filter((each) => each.dtype === "f32" && bursts.some((name) => describe(each).startsWith(`${name} `)));
}

/** A call whose turns are each a burst after a rest. */
function resting(prepared: Prepared, restMs: number): Prepared {
  if (restMs === 0) return prepared;
  return {
    ...prepared,
    async time(calls) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      return await prepared.time(calls);
    },
  };
}

/** The lines of group `bursts`: ours is the rate on two threads or more, the peer's that on one, the ratio the speed-up. */
export async function* burstLines(options: Options): AsyncGenerator<Line> {
  const loop = await peak().catch((error: unknown) => void console.error(`  fma-loop: ${String(error)}`));
  for (const each of burstCases(options)) {
    const op = opOf(each), problem = makeProblem({ ...each, op }), known = reference(problem);
    for (const threads of options.threads.filter((count) => count > 1)) {
      for (const restMs of options.tiny ? [5] : rests) {
        const about = `${describe(each)} after ${restMs} ms`;
        if (!options.wants(about)) continue;
        const both = [1, threads].map((count) => ({
          name: `ours on ${count}`,
          threads: count,
          reference: known,
          prepare: () => resting(prepareOurs(problem, count), restMs),
        }));
        const loops = loop
          ? [1, threads].map((count) => ({
            name: `fma-loop on ${count}`,
            threads: count,
            peer: true,
            prepare: () => resting(loop.burst(count), restMs),
          }))
          : [];
        const measured = await measure(about, [...both, ...loops], options);
        const rate = (seconds: number) => caseFlops(each) / seconds / 1e9;
        yield {
          ...{ group: "bursts", op: op === "product" ? "matmul" : op, case: each.name, kind: `after ${restMs} ms` },
          ...{ shape: shapeOf(each), layout: each.layout },
          ...{ dtype: "f32", threads, unit: "GFLOP/s", ...measured.against("ours on 1", rate, `ours on ${threads}`) },
          ...measured.common,
          ...ceiling(measured, threads),
        };
      }
    }
  }
}

/** What the same number of threads gains where nothing but registers is used. */
function ceiling(measured: Measurement, threads: number): { ceiling?: number } {
  const names = ["fma-loop on 1", `fma-loop on ${threads}`];
  if (!names.every((name) => measured.has(name))) return {};
  const [one, all] = names.map((name) => measured.seconds(name));
  return { ceiling: figure(median(one!.map((seconds, round) => seconds / all![round]!))) };
}
