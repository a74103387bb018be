/** What a trained model is asked: how well it foresees a text, and to write one. */
import { type Device, random, scope, slice, tensor } from "@tilework/tilework";
import { type Config, loss, model, type Params } from "./model.ts";
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

/** Goes on writing from a prompt, byte by byte; the model sees as much as fits its context. */
export async function write(p: Params, prompt: string, length: number, seed: number, device: Device, c: Config): Promise<string> {
  using rng = random(device, seed);
  const bytes = [...new TextEncoder().encode(prompt)];
  while (bytes.length < length) {
    const seen = bytes.slice(-c.context);
    using next = scope(() => {
      const logits = model(p, tensor(device, [1, seen.length], seen, { dtype: "u32" }), c);
      return rng.categorical(slice(logits, 1, -1), { temperature: 0.8 });
    });
    bytes.push(await next.item());
  }
  // A model that has learnt little writes control characters, which a terminal would obey.
  return new TextDecoder().decode(Uint8Array.from(bytes)).replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}
