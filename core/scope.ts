/** Scopes: who frees what. A scope frees everything made inside it but what its body returns. */

/**
 * Something native that a scope may free. Tensors are the ones there are.
 * @internal
 */
export abstract class Owned {
  /** The scope that frees it, or `null`. */
  owner: Owned[] | null = current;

  constructor() {
    if (current === null) outside++;
    else current.push(this);
  }

  abstract dispose(): void;
}

let current: Owned[] | null = null;
let outside = 0;

/** How many live tensors no scope will free. @internal */
export function tensorsOutside(): number {
  return outside;
}

/** One that no scope owned is gone. @internal */
export function forget(owner: Owned[] | null): void {
  if (owner === null) outside--;
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
  const outer = current;
  const frame: Owned[] = [];
  current = frame;
  let result: T | undefined;
  let done = false;
  try {
    result = body() as T; // the parameter's type only refuses promises
    if (result instanceof Promise) {
      throw new TypeError("scope: the body must not be async; await its result outside");
    }
    done = true;
  } finally {
    current = outer;
    if (done) handOver(result, frame, outer);
    for (const owned of frame) if (owned.owner === frame) owned.dispose();
  }
  return result as T; // assigned, or the body has thrown
}

function handOver(value: unknown, frame: Owned[], outer: Owned[] | null): void {
  if (value instanceof Owned) {
    if (value.owner !== frame) return;
    value.owner = outer;
    if (outer === null) outside++;
    else outer.push(value);
  } else if (Array.isArray(value)) {
    for (const v of value) handOver(v, frame, outer);
  } else if (typeof value === "object" && value !== null) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) for (const v of Object.values(value)) handOver(v, frame, outer);
  }
}

/**
 * Takes a tensor out of every scope: from now on it lives until it is disposed. Returns it.
 *
 * ```ts
 * import { cpu, keep, scope, tensor } from "@tilework/tilework";
 *
 * const seen = [];
 * scope(() => {
 *   seen.push(keep(tensor(cpu, [1], [7])));
 * });
 * console.log(seen[0].itemSync()); // 7
 * seen[0].dispose();
 * ```
 */
export function keep<T extends Owned>(tensor: T): T {
  if (tensor.owner !== null) outside++;
  tensor.owner = null;
  return tensor;
}
