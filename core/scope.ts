/** Scopes: who frees what. A scope frees everything made inside it but what its body returns. */

import { TypeError } from "./errors.ts";
import { checkFunction, formatValue } from "./shape.ts";

/**
 * What one scope will free, and those that have left it since it last looked.
 * @internal
 */
export class Frame {
  members: Owned[] = [];
  /** The frame that nothing made inside leaves, not even what is kept; null where tensors may live on. */
  readonly closed: Frame | null;
  #limit = 1024;

  constructor(closed: Frame | "itself" | null) {
    this.closed = closed === "itself" ? this : closed;
  }

  add(owned: Owned): void {
    // A long loop inside a scope disposes what it makes: without this the scope would remember them all.
    if (this.members.length >= this.#limit) {
      this.members = this.members.filter((o) => o.owner === this);
      this.#limit = Math.max(1024, 2 * this.members.length);
    }
    this.members.push(owned);
  }
}

/**
 * Something native that a scope may free. Tensors are the ones there are.
 * @internal
 */
export abstract class Owned {
  /** The scope that frees it; `null` where none will, or where it is freed already. */
  owner: Frame | null = current;

  constructor() {
    if (current === null) outside++;
    else current.add(this);
  }

  abstract dispose(): void;
}

let current: Frame | null = null;
let outside = 0;

/** How many live tensors no scope will free. @internal */
export function tensorsOutside(): number {
  return outside;
}

/** One is gone: no scope frees it any more. @internal */
export function leave(owned: Owned): void {
  if (owned.owner === null) outside--;
  owned.owner = null;
}

/** One that no scope owned was forgotten by everybody. @internal */
export function forgotten(): void {
  outside--;
}

/**
 * Runs `body` and frees every tensor made inside it, except those it returns (alone, in arrays or in plain objects); these pass to the scope around,
 * if there is one. If the body throws, everything made inside is freed. The body is synchronous: an async one does not compile.
 *
 * ```ts
 * import { add, cpu, mul, scope, tensor } from "@tilework/tilework";
 *
 * using x = tensor(cpu, [2], [1, 2]);
 * using y = scope(() => add(mul(x, x), x)); // frees the product
 * console.log(y.readSync()); // Float32Array [2, 6]
 * ```
 */
export function scope<T>(
  body: () => T extends PromiseLike<unknown> ? "scope: the body must not be async; await its result outside" : T,
): T {
  checkFunction("scope", "body", body);
  return scopeOf(body as () => T, null); // the parameter's type only refuses promises
}

/** As `scope`; adds what was made inside and is returned to `passed`. @internal */
export function scopeOf<T>(body: () => T, passed: Owned[] | null): T {
  const outer = current;
  const frame = new Frame(outer?.closed ?? null);
  current = frame;
  let result: T;
  try {
    result = body();
    refuseAsync(result, "scope: the body must not be async; await its result outside");
    current = outer;
    handOver(result, frame, outer, passed, null);
  } finally {
    current = outer;
    for (const owned of frame.members) if (owned.owner === frame) owned.dispose();
  }
  return result;
}

/** Runs `body` and frees every tensor made inside it, whatever it returns or keeps. @internal */
export function closedScope(op: string, body: () => unknown): void {
  const outer = current;
  const frame = new Frame("itself");
  current = frame;
  try {
    refuseAsync(body(), `${op}: the body must not be async`);
  } finally {
    current = outer;
    for (const owned of frame.members) if (owned.owner === frame) owned.dispose();
  }
}

/** Refuses what an async body returned: it goes on with tensors that its scope frees, and nobody will look at how it ends. @internal */
export function refuseAsync(result: unknown, message: string): void {
  if (!isThenable(result)) return;
  result.then(undefined, () => {});
  throw new TypeError(message);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"; // a look at any object
}

/** `seen` are the objects that were handed over already: data may hold itself. */
function handOver(value: unknown, frame: Frame, outer: Frame | null, passed: Owned[] | null, seen: Set<unknown> | null): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Owned) {
    if (value.owner !== frame) return;
    value.owner = outer;
    if (outer === null) outside++;
    else outer.add(value);
    passed?.push(value);
    return;
  }
  const isList = Array.isArray(value);
  if (!isList) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return;
  }
  if (seen?.has(value)) return;
  seen = (seen ?? new Set()).add(value);
  for (const v of isList ? value : Object.values(value)) handOver(v, frame, outer, passed, seen);
}

/**
 * Takes a tensor out of every scope: from now on it lives until it is disposed. Returns it.
 *
 * ```ts
 * import { cpu, keep, scope, tensor } from "@tilework/tilework";
 *
 * const kept = scope(() => {
 *   const x = keep(tensor(cpu, [1], [7]));
 *   return { later: () => x }; // a function hides what it holds: without keep the scope would free x
 * });
 * using x = kept.later();
 * console.log(x.itemSync()); // 7
 * ```
 */
export function keep<T extends Owned>(tensor: T): T {
  if (!(tensor instanceof Owned)) throw new TypeError(`keep: x must be a tensor, got ${formatValue(tensor)}`);
  const closed = tensor.owner?.closed;
  if (closed) {
    tensor.owner = closed;
    closed.add(tensor);
    return tensor;
  }
  if (tensor.owner !== null) outside++;
  tensor.owner = null;
  return tensor;
}
