/**
 * The `deno bench` suite of matrix products: this library as the baseline of each group, beside the peers. Results are checked before
 * anything is timed. `TILEWORK_BENCH_TINY=1` runs the tiny sizes. Figures to quote come from `deno task bench:json`, whose contenders
 * take turns; here each runs by itself for a while.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import process from "node:process";
import { randomProduct } from "./harness.ts";
import { contenders, matmulCases } from "./matmul.ts";
import { loadPeers } from "./peers/load.ts";

const tiny = process.env.TILEWORK_BENCH_TINY === "1";
const peers = await loadPeers(tiny, ""); // no PyTorch, which lives in another process

const small = { m: 16, n: 16, k: 16, layout: "NN" } as const;
for (const threads of [1, 2].filter((count) => count <= availableParallelism())) {
  for (const { m, n, k, layout } of [...(threads === 1 ? [small] : []), ...matmulCases(tiny)]) {
    for (const contender of await contenders(randomProduct(m, n, k, layout), threads, peers)) {
      const { call } = contender;
      if (!call) continue;
      Deno.bench({
        name: contender.name,
        group: `matmul f32 ${m}x${n}x${k} ${layout}, ${threads} thread${threads === 1 ? "" : "s"}`,
        baseline: contender.name === "ours",
        fn: call,
      });
    }
  }
}
