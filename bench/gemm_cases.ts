/**
 * The cases of group `gemm`, as data: what is measured, under a name that `--filter` finds.
 *
 * @module
 */
import { type Float, flopsOf, type Layout, type Problem } from "./problem.ts";

/** What a case is about; several kinds are the same operation with other bars. */
export type Kind = "square" | "product" | "gemv" | "outer" | "batched" | "linear_backward";

/** One case. For `linear_backward` m is the rows, n the outputs and k the inputs of the layer. */
export interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly layout: Layout;
  readonly dtype: Float;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  /** Measured with `--long` only. */
  readonly long: boolean;
}

function define(kind: Kind, name: string, layout: Layout, m: number, n: number, k: number, batch = 1, long = false): Case {
  return { name, kind, layout, dtype: "f32", m, n, k, batch, long };
}

/** The same in double precision. */
function doubles(...cases: readonly Case[]): Case[] {
  return cases.map((each) => ({ ...each, dtype: "f64" }));
}

const square = (size: number, layout: Layout = "NN", long = false) => define("square", `square-${size}`, layout, size, size, size, 1, long);

/** A matrix and a vector, every way in which both can be stored; the matrix has `rows` rows of results and a depth of `depth`. */
const gemv = (rows: number, depth: number) => [
  define("gemv", `row-${rows}x${depth}`, "NN", 1, rows, depth),
  define("gemv", `row-${rows}x${depth}`, "NT", 1, rows, depth),
  define("gemv", `column-${rows}x${depth}`, "NN", rows, 1, depth),
  define("gemv", `column-${rows}x${depth}`, "TN", rows, 1, depth),
];

const full: readonly Case[] = [
  ...[16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1003, 1024, 2048].map((size) => square(size)),
  square(4096, "NN", true),
  ...[256, 1024].flatMap((size) => [square(size, "NT"), square(size, "TN")]),
  define("product", "tall", "NN", 4096, 64, 64),
  define("product", "tall", "NN", 8192, 32, 512),
  define("product", "tall", "NT", 4096, 64, 64),
  define("product", "wide", "NN", 64, 4096, 512),
  define("product", "wide", "NN", 32, 8192, 512),
  define("product", "wide", "NT", 16, 3072, 768),
  define("product", "deep", "NN", 64, 64, 8192),
  define("product", "deep", "TN", 64, 64, 8192),
  define("product", "deep", "NN", 128, 128, 16384),
  // 512 tokens of a transformer: the feed-forward layers as products, as linear layers, and their weight's gradient.
  define("product", "mlp-up", "NN", 512, 3072, 768),
  define("product", "mlp-down", "NN", 512, 768, 3072),
  define("product", "mlp-up", "NT", 512, 3072, 768),
  define("product", "mlp-down", "NT", 512, 768, 3072),
  define("product", "mlp-weight", "TN", 3072, 768, 512),
  define("product", "projection", "NN", 512, 768, 768),
  define("product", "projection", "NT", 512, 768, 768),
  define("product", "projection", "TN", 512, 768, 768),
  ...gemv(768, 768),
  ...gemv(1024, 4096),
  ...gemv(4096, 4096),
  define("outer", "outer", "NN", 4096, 4096, 1),
  define("batched", "batch-64", "NN", 64, 64, 64, 64),
  define("batched", "attention-scores", "NT", 128, 128, 64, 48),
  ...[1, 16, 512].map((tokens) => define("linear_backward", `backward-${tokens}`, "NT", tokens, 3072, 768)),
  ...doubles(
    ...[64, 256, 512, 1024].map((size) => square(size)),
    square(256, "NT"),
    square(256, "TN"),
    define("product", "mlp-up", "NT", 512, 3072, 768),
    define("product", "tall", "NN", 4096, 64, 64),
    ...gemv(1024, 4096),
    define("batched", "batch-64", "NN", 64, 64, 64, 64),
    define("linear_backward", "backward-16", "NT", 16, 3072, 768),
  ),
];

/** Sizes that only check that everything runs. */
const tiny: readonly Case[] = [
  square(64),
  define("product", "linear", "NT", 48, 64, 80),
  define("product", "weight", "TN", 33, 31, 70),
  ...gemv(48, 40),
  define("outer", "outer", "NN", 40, 48, 1),
  define("batched", "batch-4", "NN", 16, 16, 16, 4),
  define("batched", "scores", "NT", 17, 16, 15, 3),
  ...[1, 3].map((tokens) => define("linear_backward", `backward-${tokens}`, "NT", tokens, 24, 40)),
  ...doubles(square(64), ...gemv(48, 40), define("linear_backward", "backward-3", "NT", 3, 24, 40)),
];

/** The cases that are wanted by their name, layout and shape. */
export function gemmCases(options: { tiny: boolean; long: boolean; wants?: (description: string) => boolean }): Case[] {
  const all = options.tiny ? tiny : full.filter((each) => options.long || !each.long);
  return all.filter((each) => options.wants?.(describe(each)) ?? true);
}

/** A case in a few words: name, layout, m×n×k and how many, and the element type where it is not f32. */
export function describe(each: Case): string {
  return `${each.name} ${each.layout} ${shapeOf(each)}${each.dtype === "f32" ? "" : ` ${each.dtype}`}`;
}

/** m×n×k, and the size of the batch where there is one. */
export function shapeOf({ m, n, k, batch }: Case): string {
  return batch === 1 ? `${m}x${n}x${k}` : `${batch}*${m}x${n}x${k}`;
}

/** The operation of a case. */
export function opOf({ kind }: Case): Problem["op"] {
  return kind === "linear_backward" ? kind : "product";
}

/** Multiplications and additions of a case. */
export function caseFlops(each: Case): number {
  return flopsOf({ ...each, op: opOf(each) });
}
