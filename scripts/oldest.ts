// Runs the golden hashes and what every version has to do in the oldest versions of the runtimes that are promised, which npm has. Linux x86-64 only.
//   deno run -A scripts/oldest.ts
import { join } from "node:path";
import { build } from "./build.ts";
import { bunCounts, type Counts, denoCounts, judged, line, nodeCounts, total } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { packed, packedNode, type Runtime } from "./runtimes.ts";
import { oldest } from "./versions.ts";

if (process.platform !== "linux" || process.arch !== "x64") fail("scripts/oldest.ts runs on Linux x86-64 only.");
await build();

const shim = join(root, "scripts", "node_test_for_bun.js");
const commands: Record<Runtime, string[]> = {
  deno: [await packed("@deno/linux-x64-glibc", oldest.deno, "deno"), "test", "-A", "--no-check"],
  bun: [await packed("@oven/bun-linux-x64", oldest.bun, "bin/bun"), "test", "--timeout", "120000", "--preload", shim],
  node: [await packedNode(oldest.node), "--import", "./scripts/web_workers_for_node.js", "--test", "--test-reporter=spec"],
};

const counters: Record<Runtime, (text: string) => Counts> = { deno: denoCounts, bun: bunCounts, node: nodeCounts };

const results: Counts[] = [];
for (const runtime of ["deno", "bun", "node"] as const) {
  for (const file of ["./tests/smoke_test.ts", "./tests/golden_test.ts"]) {
    const name = `${file} in ${runtime} ${oldest[runtime]}`;
    console.log(`\n== ${name}`);
    const { code, text, seconds } = await run([...commands[runtime], file], { output: "tee", env: { NO_COLOR: "1" } });
    const counts = judged(counters[runtime](text), code, name);
    results.push(counts);
    console.log(`-- ${name}: ${line(counts)} (${seconds.toFixed(1)} s)`);
  }
}
const sum = total(results);
console.log(`\n${line(sum)}`);
process.exit(sum.failed > 0 ? 1 : 0);
