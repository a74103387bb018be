/**
 * Options objects: what each function takes is said once, as a list that the compiler compares with the type, and everything else is refused. Neither
 * `deno run` nor Bun checks types, so a name that nobody knows would otherwise be passed over and something else computed.
 */

import { TypeError } from "./errors.ts";
import { Owned } from "./scope.ts";
import { formatValue } from "./shape.ts";

/** The names of an options type, in the order of the declaration. @internal */
export class OptionNames {
  readonly all: readonly string[];
  /** Those of the options that were looked at last: a call is mostly written with the same names as the one before it. */
  last: readonly string[];

  constructor(all: readonly string[]) {
    this.all = this.last = all;
  }
}

/** The names of an options type: the compiler refuses a list that lacks one or has another. @internal */
export function optionNames<O>(names: Readonly<Record<keyof O, true>>): OptionNames {
  return new OptionNames(Object.keys(names));
}

/** The names of what takes nothing but `out`. @internal */
export const onlyOut: OptionNames = optionNames<{ out?: unknown }>({ out: true });

/** What other libraries call an option, and what it is called here where it is there. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  lr: ["rate"],
  learningrate: ["rate"],
  p: ["rate"],
  prob: ["rate"],
  dim: ["axis"],
  dims: ["axis", "keepDims"],
  axes: ["axis"],
  keepdim: ["keepDims"],
  iscausal: ["causal"],
  attnmask: ["mask"],
  attentionmask: ["mask"],
  std: ["deviation"],
  stddev: ["deviation"],
  sigma: ["deviation"],
  temp: ["temperature"],
  k: ["topK"],
  epsilon: ["eps"],
  wd: ["weightDecay"],
  l2: ["weightDecay"],
  decay: ["weightDecay", "decay"],
  min: ["low", "floor"],
  max: ["high", "peak"],
  into: ["out"],
  output: ["out"],
  dst: ["out"],
  activation: ["epilogue", "activation"],
  transa: ["transposeA"],
  transb: ["transposeB"],
  type: ["dtype"],
  numheads: ["heads"],
  numexperts: ["experts"],
  strict: ["ignoreExtra"],
  maxsteps: ["steps"],
  warmupsteps: ["warmup"],
};

const overLast = "it goes over the last axis: transpose the tensor first";

/**
 * Checks that options are an object, or absent, and that each is one of `names`; an `undefined` one is absent. `path` is where they stand in other options
 * (`tuning`), and `hints` says of a few likely names what to do instead.
 *
 * Of a call of a hundred nanoseconds this is seen. Names that come in the order of the last call's, or are the first few of them, cost 1 to 2 ns each in
 * Deno; looked for in a list they cost 4 to 7.
 * @internal
 */
export function checkOptions(
  op: string,
  options: unknown,
  names: OptionNames,
  path: string = "",
  hints: Readonly<Record<string, string>> = {},
): void {
  if (options === undefined) return;
  if (typeof options !== "object") return checkEach(op, options, names, path, hints);
  const { last } = names;
  let at = 0;
  for (const name in options) if (name !== last[at++]) return checkEach(op, options, names, path, hints);
  if (at === 0) checkEach(op, options, names, path, hints);
}

/** As `checkOptions`, whatever came before. */
function checkEach(
  op: string,
  options: unknown,
  names: OptionNames,
  path: string,
  hints: Readonly<Record<string, string>>,
): void {
  if (!isRecord(options)) {
    throw new TypeError(`${op}: ${path || "options"} must be an object { ${names.all.join(", ")} }, got ${formatValue(options)}`);
  }
  const given: string[] = [];
  for (const name in options) {
    if (names.all.includes(name)) given.push(name);
    else if (options[name] !== undefined) throw unknownOption(op, name, names.all, path, hints);
  }
  names.last = given;
}

/** Hints of ops that go over the last axis alone. @internal */
export const lastAxis: Readonly<Record<string, string>> = { axis: overLast, dim: overLast };

/** `out` of options that hold nothing else. @internal */
export function outOf<T>(op: string, options: { out?: T | undefined } | undefined): T | undefined {
  if (options === undefined) return undefined;
  checkOptions(op, options, onlyOut);
  return options.out;
}

/** As `checkOptions`, of options that may not be left out. @internal */
export function checkNeeded(op: string, options: unknown, names: OptionNames): void {
  if (options === undefined) checkEach(op, options, names, "", {});
  checkOptions(op, options, names);
}

function unknownOption(
  op: string,
  name: string,
  names: readonly string[],
  path: string,
  hints: Readonly<Record<string, string>>,
): TypeError {
  const full = (name: string) => path === "" ? name : `${path}.${name}`;
  const near = nearest(name, names);
  const help = Object.hasOwn(hints, name)
    ? hints[name]
    : near !== undefined
    ? `did you mean ${full(near)}?`
    : `there ${names.length === 1 ? "is" : "are"} ${names.map(full).join(", ")}`;
  return new TypeError(`${op}: there is no option ${full(name)}; ${help}`);
}

/** Whether a value can hold options: an object that is no list, no tensor and none of the engine's own kinds. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || value instanceof Owned || Array.isArray(value)) return false;
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** The known name that was most likely meant, or undefined where none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const wanted = plain(name);
  const meant = Object.hasOwn(synonyms, wanted) ? synonyms[wanted]!.find((other) => known.includes(other)) : undefined;
  if (meant !== undefined) return meant;
  let best: string | undefined, least = Infinity;
  for (const other of known) {
    const steps = distance(wanted, plain(other));
    // A third of the letters may be wrong; of very short names none, but for a beginning that was left off.
    const near = steps <= Math.floor(Math.max(wanted.length, other.length) / 3) || (wanted.length > 2 && plain(other).startsWith(wanted));
    if (near && steps < least) [best, least] = [other, steps];
  }
  return best;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
