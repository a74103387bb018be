/**
 * From where a second worker pays: the same call on one worker and on exactly two, in turn, over growing sizes. The defaults of
 * `parMnkPerWorker` and `gemvParallelBytes` rest on it, docs/tuning.md has the figures. Run again and again two workers find
 * their threads awake; after a rest they have to wake them. `--filter product`, `--tiny` and `--seconds` as for the other benchmarks.
 */
import process from "node:process";
import { add, type CpuDevice, cpuDevice, empty, matmul, ones, softmax, type Tensor } from "@tilework/tilework";
import { type Contender, figure, interleave, type Options, pairedQuartiles, parseOptions } from "./harness.ts";

interface Case {
  readonly op: string;
  readonly size: string;
  /** What the call is gated by: multiply-adds of a product, bytes of the others. */
  readonly amount: number;
  /** What every element of the result is, but for rounding. */
  readonly value: number;
  prepare(device: CpuDevice): { out: Tensor<"f32">; call(): void };
}

function product(n: number): Case {
  return {
    op: "product",
    size: `${n}×${n}×${n}`,
    amount: n ** 3,
    value: n,
    prepare(device) {
      const a = ones(device, [n, n]), out = empty(device, [n, n]);
      return { out, call: () => void matmul(a, a, { out }) };
    },
  };
}

function sum(n: number): Case {
  return {
    op: "add",
    size: `${n}`,
    amount: 12 * n,
    value: 2,
    prepare(device) {
      const a = ones(device, [n]), b = ones(device, [n]), out = empty(device, [n]);
      return { out, call: () => void add(a, b, { out }) };
    },
  };
}

function rows(n: number): Case {
  return {
    op: "softmax",
    size: `${n}×1024`,
    amount: 8 * n * 1024,
    value: 1 / 1024,
    prepare(device) {
      const x = ones(device, [n, 1024]), out = empty(device, [n, 1024]);
      return { out, call: () => void softmax(x, { out }) };
    },
  };
}

/** Longer than a pool's thread looks for work before it sleeps. */
const restMs = 0.3;

function contenders(c: Case, rest: boolean): Contender[] {
  return [1, 2].map((threads) => {
    const { out, call } = c.prepare(cpuDevice({ threads, tuning: { cores: 2, parallelThreshold: 0 } }));
    call();
    const wrong = out.readSync().find((v) => Math.abs(v - c.value) > 1e-6 * c.value);
    if (wrong !== undefined) throw new Error(`${c.op} ${c.size} on ${threads} gave ${wrong}, must be ${c.value}`);
    return {
      name: `${threads}`,
      threads,
      time(calls) {
        let spent = 0;
        if (!rest) {
          const start = performance.now();
          for (let i = 0; i < calls; i++) call();
          spent = performance.now() - start;
        } else {
          for (let i = 0; i < calls; i++) {
            for (const until = performance.now() + restMs; performance.now() < until;);
            const start = performance.now();
            call();
            spent += performance.now() - start;
          }
        }
        return spent / 1000;
      },
    };
  });
}

async function measure(c: Case, rest: boolean, options: Options): Promise<{ one: number; speedup: string; others: number }> {
  const { seconds: [one, two], others = NaN } = await interleave(contenders(c, rest), options);
  const [low, middle, high] = pairedQuartiles(one!, two!);
  // On a machine that others use, two workers seldom have two cores: the best turn of each tells what they can do.
  const best = Math.min(...one!) / Math.min(...two!);
  return {
    others,
    one: 1e6 * Math.min(...one!),
    speedup: `${best.toFixed(2)}; ${middle!.toFixed(2)} (${low!.toFixed(2)} to ${high!.toFixed(2)})`,
  };
}

const options = parseOptions(process.argv.slice(2));
const cases = [
  ...(options.tiny ? [64] : [48, 64, 80, 96, 112, 128, 160, 192, 256]).map(product),
  ...(options.tiny ? [1 << 12] : [12, 13, 14, 15, 16, 17, 18, 19, 20].map((log) => 1 << log)).map(sum),
  ...(options.tiny ? [4] : [4, 8, 16, 32, 64, 128, 256, 512]).map(rows),
].filter(({ op }) => options.filter === undefined || op === options.filter);

console.log(
  "Two workers over one: the best turns, then the median of paired turns and its quartiles. Others: cores that other processes kept busy.",
);
console.log(
  "op       size          multiply-adds or bytes   µs on one   again and again                after a rest                 others",
);
for (const c of cases) {
  const warm = await measure(c, false, options), cold = await measure(c, true, options);
  const cells = [c.op.padEnd(8), c.size.padEnd(13), `${c.amount}`.padStart(22), `${figure(warm.one)}`.padStart(11)];
  console.log(
    `${cells.join(" ")}   ${warm.speedup.padEnd(28)}   ${cold.speedup.padEnd(26)}   ${Math.max(warm.others, cold.others).toFixed(1)}`,
  );
}
