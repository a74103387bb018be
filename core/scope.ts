/** Scopes: what is freed when. A scope frees every tensor made inside it, except those its body returns. */

import { grew, shrank } from "./collector.ts";
import { TypeError } from "./errors.ts";
import { trace } from "./leaks.ts";
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

  /** Frees what it still owns. */
  end(what: Fate): void {
    freeAs(what, this.members, this);
  }
}

/**
 * What became of something that was freed, in the words of the error that a later use throws.
 * @internal
 */
export class Fate {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const byDispose = new Fate("was disposed");
const withScope = new Fate("was freed when its scope ended: return it from the scope, alone or in arrays and plain objects, or keep() it");
const withExplain = new Fate("was made inside explain, which frees everything made there");

/** What those become that are freed now. */
let fate = byDispose;

/** @internal Frees all of these, or those of them that `owner` owns; a later use of one says `what` became of it. */
export function freeAs(what: Fate, all: Iterable<Owned>, owner?: Frame): void {
  const before = fate;
  fate = what;
  try {
    for (const owned of all) if (owner === undefined || owned.owner === owner) owned.dispose();
  } finally {
    fate = before;
  }
}

/** @internal The error for the use of something that was freed: it says how. */
export function freedError(op: string, name: string, owned: Owned): TypeError {
  return new TypeError(`${op}: ${name} ${(owned.owner instanceof Fate ? owned.owner : byDispose).text}`);
}

/** A field of every tensor for what copies or compares objects field by field: reading what it holds throws. */
interface Opaque {
  readonly elements: never;
}

/**
 * Two tensors hold different ones of these, unless by chance, so that a comparison by fields goes into them. They are few and made once, since a field that
 * throws costs more than the rest of a tensor's object.
 */
const opaques: readonly Opaque[] = Array.from({ length: 64 }, () => ({
  get elements(): never {
    throw new TypeError(
      "a tensor's elements are in native memory, where no comparison, clone or message of its fields sees them: compare or send what readSync() and shape " +
        "give; tensor(cpu, shape, data) makes a tensor of them again",
    );
  },
}));

let made = 0;

/**
 * Something native that a scope may free. Tensors are the ones there are.
 * @internal
 */
export abstract class Owned {
  /** @internal The first field, so that a comparison or clone meets it before any other that differs. */
  readonly memory: Opaque = opaques[made & 63]!;
  /** @internal No two are equal by their fields, even where both are freed and the field above is the same by chance. */
  readonly serial: number = made = made + 1 | 0;
  /** @internal The scope that frees it; `null` where none will; once it is freed, what became of it. */
  owner: Frame | Fate | null = current;
  /** @internal Bytes that it holds, alone or with others. */
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
    if (current === null) enterOutside(bytes);
    else current.add(this);
    trace(this);
  }

  abstract readonly disposed: boolean;
  abstract dispose(): void;

  /** @internal Sees to it that it is freed once everybody has forgotten it: called where it leaves the scope that would have. */
  abstract guard(): void;
}

let current: Frame | null = null;
let outside = 0, outsideBytes = 0;

function enterOutside(bytes: number): void {
  outside++;
  outsideBytes += bytes;
  grew(outsideBytes);
}

/** Lets one out of every scope. */
function letOut(owned: Owned): void {
  enterOutside(owned.bytes);
  owned.guard();
}

/** @internal How many live tensors no scope will free. */
export function tensorsOutside(): number {
  return outside;
}

/** @internal The bytes that they hold. */
export function bytesOutside(): number {
  return outsideBytes;
}

/** @internal One is gone: no scope frees it any more. */
export function leave(owned: Owned): void {
  if (owned.owner === null) leaveOutside(owned.bytes);
  owned.owner = fate;
}

/** @internal One that no scope owned, of so many bytes, was forgotten by everybody. */
export function forgotten(bytes: number): void {
  leaveOutside(bytes);
  shrank(outsideBytes);
}

function leaveOutside(bytes: number): void {
  outside--;
  outsideBytes -= bytes;
}

/**
 * Runs `body` and frees every tensor made inside it, except those it returns: a tensor, or plain arrays and objects of them, not a Map, Set or class.
 * These pass to the scope around, if there is one. If the body throws, everything made inside is freed. The body is synchronous: an async one does not
 * compile. Optimizers, `random`, `ema` and caches live until they are disposed.
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

/** @internal As `scope`; adds what was made inside and is returned to `passed`. What it frees becomes `what`. */
export function scopeOf<T>(body: () => T, passed: Owned[] | null, what: Fate = withScope): T {
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
    frame.end(what);
  }
  return result;
}

/** @internal Runs `body` and frees every tensor made inside it, whatever it returns or keeps. */
export function closedScope(op: string, body: () => unknown): void {
  const outer = current;
  const frame = new Frame("itself");
  current = frame;
  try {
    refuseAsync(body(), `${op}: the body must not be async`);
  } finally {
    current = outer;
    frame.end(withExplain);
  }
}

/** @internal Refuses what an async body returned: it goes on with tensors that its scope frees, and nobody will look at how it ends. */
export function refuseAsync(result: unknown, message: string): void {
  if (!isThenable(result)) return;
  result.then(undefined, () => {});
  throw new TypeError(message);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"; // a look at any object
}

function passTo(owned: Owned, frame: Frame | null): void {
  owned.owner = frame;
  if (frame === null) letOut(owned);
  else frame.add(owned);
}

/** `seen` are the objects that were handed over already: data may hold itself. */
function handOver(value: unknown, frame: Frame, outer: Frame | null, passed: Owned[] | null, seen: Set<unknown> | null): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Owned) {
    if (value.owner !== frame) return;
    passTo(value, outer);
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
 * Exempts a tensor from its scope: from now on it lives until it is disposed. Returns it.
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
  const { owner } = tensor;
  if (owner === null || owner instanceof Fate) return tensor;
  passTo(tensor, owner.closed);
  return tensor;
}

/** @internal Owns what its maker will dispose one by one, whatever happens: nobody else frees it, and no list of it is kept. */
export class Hold extends Frame {
  constructor() {
    super(current?.closed ?? null);
  }

  override add(): void {}
}

/** @internal Runs `body` and lets a hold own what is made inside. */
export function heldBy<T>(hold: Hold, body: () => T): T {
  const outer = current;
  current = hold;
  try {
    return body();
  } finally {
    current = outer;
  }
}

/** @internal Hands what a hold owns to the scope around, as if it had been made there. */
export function release<T extends Owned>(held: T): T {
  passTo(held, current);
  return held;
}
