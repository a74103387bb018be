/**
 * Which copy of this package a tensor or device comes from. A program can hold several, of one version or of two, through its dependencies;
 * each has its own classes and handles, so that what one made is of no use to the other.
 */

/** What each copy leaves on the prototypes of its classes; the symbol is the same in all of them. */
const origin = Symbol.for("tilework.origin");

/** What a marked value is. */
type Kind = "tensor" | "device";
interface Origin {
  readonly kind: Kind;
  /** Where the copy lies. */
  readonly place: string;
}

/** The folder of this copy, or the bundle that it is in; some bundlers leave nothing of `import.meta` in CommonJS. */
const place: string = (import.meta.url ?? "a bundle").replace(/core\/package_copy\.[jt]s(?=$|[?#])/, "");
const ours: Readonly<Record<Kind, Origin>> = { tensor: { kind: "tensor", place }, device: { kind: "device", place } };

/** Marks what a class makes as coming from this copy. @internal */
export function markOrigin(of: { readonly prototype: object }, kind: Kind): void {
  Object.defineProperty(of.prototype, origin, { value: ours[kind] });
}

function originOf(value: object): Origin | undefined {
  return (value as { readonly [origin]?: Origin })[origin];
}

/** `a tensor of another copy of tilework`, and where that lies; undefined for what no other copy has made. @internal */
export function fromOtherCopy(value: object): string | undefined {
  const found = originOf(value);
  if (found === undefined || found === ours[found.kind]) return undefined;
  const where = found.place === place ? `loaded twice from ${place}` : `that one is ${found.place}, this one ${place}`;
  return `a ${found.kind} of another copy of tilework (${where})`;
}
