/** What a trained model is asked: how well it foresees a text, and to write one. */
import { type Device, type Random, random, scope, slice, tensor } from "@tilework/tilework";
import { type Config, loss, model, type Params, pastFor, step } from "./model.ts";
import { batchAt } from "./text.ts";

/**
 * The mean loss over a text cut into pieces of the context's length, in nats a byte. With `limit`, over that many pieces spread evenly. No gradient is
 * asked for, so nothing is recorded.
 */
export async function heldOutLoss(p: Params, bytes: Uint8Array, device: Device, c: Config, limit: number = Infinity): Promise<number> {
  const pieces = Math.floor((bytes.length - 1) / c.context), count = Math.min(pieces, limit);
  const starts = Array.from({ length: count }, (_, i) => Math.floor(i * pieces / count) * c.context);
  let total = 0;
  for (let i = 0; i < count; i += c.batch) {
    const rows = starts.slice(i, i + c.batch);
    using mean = scope(() => loss(p, ...batchAt(bytes, rows, device, c), c));
    total += await mean.item() * rows.length;
  }
  return total / count;
}

/** How a model writes. */
export interface Style {
  /** Below 1 likely bytes become likelier, above 1 less so; 0 always takes the likeliest. 0.8. */
  readonly temperature?: number;
  /** Draws from the likeliest bytes alone that hold this part of the probability together. 1. */
  readonly topP?: number;
  /** Keeps keys and values of the text so far; otherwise each byte is foreseen from the whole text anew, which gives the same bytes. On. */
  readonly cached?: boolean;
}

/**
 * The bytes that a model writes after a prompt, without end. It has learnt as many positions as its context has: once they are used up it goes on from the
 * last half of what it saw, at the first positions, so that every byte has at least half a context before it.
 */
export async function* continuation(
  p: Params,
  prompt: Uint8Array,
  rng: Random,
  c: Config,
  style: Style = {},
): AsyncGenerator<number, never> {
  const { temperature = 0.8, topP = 1, cached = true } = style;
  if (prompt.length === 0) throw new RangeError("A prompt must have at least one byte.");
  let seen = [...prompt.subarray(-c.context)];
  let fresh = seen; // what the past does not hold yet
  const past = cached ? pastFor(rng.device, c) : undefined;
  try {
    while (true) {
      using next = scope(() => {
        const ids = (bytes: number[]) => tensor(rng.device, [1, bytes.length], bytes, { dtype: "u32" });
        const logits = past ? step(p, ids(fresh), past, c) : slice(model(p, ids(seen), c), 1, -1);
        return rng.categorical(logits, { temperature, topP });
      });
      const byte = await next.item();
      yield byte;
      seen.push(byte);
      fresh = [byte];
      if (seen.length > c.context) {
        fresh = seen = seen.slice(-Math.ceil(c.context / 2));
        past?.forEach((cache) => cache.reset());
      }
    }
  } finally {
    past?.forEach((cache) => cache[Symbol.dispose]());
  }
}

/** A prompt and the text of `length` bytes that follow it, in pieces as they come. A character of several bytes comes once it is whole. */
export async function* writing(p: Params, prompt: string, length: number, rng: Random, c: Config, style?: Style): AsyncGenerator<string> {
  yield printable(prompt);
  if (length === 0) return;
  const decoder = new TextDecoder();
  let left = length;
  for await (const byte of continuation(p, new TextEncoder().encode(prompt), rng, c, style)) {
    yield printable(decoder.decode(Uint8Array.of(byte), { stream: true }));
    if (--left === 0) break;
  }
  yield printable(decoder.decode());
}

/** A prompt and `length` bytes that follow it. */
export async function write(p: Params, prompt: string, length: number, seed: number, device: Device, c: Config): Promise<string> {
  using rng = random(device, seed);
  let text = "";
  for await (const piece of writing(p, prompt, length, rng, c)) text += piece;
  return text;
}

/** A model that has learnt little writes control characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}
