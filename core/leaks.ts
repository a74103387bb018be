/** Where tensors were made: remembered where the variable `TILEWORK_LEAKS` is 1, and nowhere else, since a stack costs more than a small op. */

import { engine, isOwnFrame } from "./errors.ts";
import type { Owned } from "./scope.ts";

/** Tensors outside scopes that one place of a program made and nobody has disposed. */
export interface Leak {
  /** The program's calls that led there, the innermost first, one a line; those of the library are left out. */
  readonly at: string;
  /** How many. */
  readonly tensors: number;
  /** The bytes that they hold. */
  readonly bytes: number;
}

interface Trace {
  readonly owned: WeakRef<Owned>;
  readonly at: string;
}

let traces: Trace[] | null = null;
let limit = 1024;

/** Remembers from now on where tensors are made. @internal */
export function traceFromNow(): void {
  traces ??= [];
}

/** Remembers where a tensor is made, if that is wanted. @internal */
export function trace(owned: Owned): void {
  if (traces === null) return;
  if (traces.length >= limit) {
    traces = traces.filter(isOutside);
    limit = Math.max(1024, 2 * traces.length);
  }
  traces.push({ owned: new WeakRef(owned), at: callers() });
}

/** What is outside scopes, by the place that made it, the most bytes first; null where no places are remembered. @internal */
export function leaks(): readonly Leak[] | null {
  if (traces === null) return null;
  const places = new Map<string, { at: string; tensors: number; bytes: number }>();
  for (const { owned, at } of traces) {
    const x = owned.deref();
    if (x?.owner !== null) continue;
    const place = places.get(at) ?? { at, tensors: 0, bytes: 0 };
    places.set(at, place);
    place.tensors++;
    place.bytes += x.bytes;
  }
  return [...places.values()].sort((a, b) => b.bytes - a.bytes || b.tensors - a.tensors);
}

/** Whether a tensor may still show: it lives, outside a scope or in one that may let it out. */
function isOutside({ owned }: Trace): boolean {
  const x = owned.deref();
  return x !== undefined && !x.disposed;
}

/** The calls of the program on the stack. */
function callers(): string {
  const before = engine.stackTraceLimit;
  engine.stackTraceLimit = 50; // a loss is some calls of the library deep
  const lines = (new Error().stack ?? "").split("\n").map((line) => line.trim().replace(/^at /, "")).filter((line) =>
    /:\d+\)?$/.test(line)
  );
  engine.stackTraceLimit = before;
  const own = lines.filter((line) => !isOwnFrame(line));
  return (own.length > 0 ? own : lines).join("\n"); // where all is in one file, nothing is left out
}
