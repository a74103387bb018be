/** Turns of the event loop: what is awaited on the CPU is done at once, and would never let one come. */

import { timers } from "./node.ts";

/** Milliseconds without a turn after which one is due. */
const patience = 4;
/** Rounds of one turn for each millisecond since the last one, and at most. */
const roundsPerMillisecond = 2, roundsMax = 64;

/** In milliseconds since 1970, for that clock is read in a third of the time of the one that never goes back. */
let last = Date.now();

/** Whether the event loop may have waited for some milliseconds. Whoever awaits something that is done already asks this, and then awaits `turn`. @internal */
export function isTurnDue(): boolean {
  const waited = Date.now() - last;
  return waited >= patience || waited < 0; // where the clock was set back
}

/** The event loop has just had a turn. @internal */
export function hadTurn(): void {
  last = Date.now();
}

/**
 * A turn of the event loop. One round of it runs the timers that are due; sockets and signals come with it in Bun, but Deno looks at them in one of about 61
 * rounds unless it has nothing else to do. So there are as many rounds as the time since the last turn pays for: 3 to 5 µs each, about one percent of it.
 * @internal
 */
export async function turn(): Promise<void> {
  const rounds = Math.max(1, Math.min((Date.now() - last) * roundsPerMillisecond, roundsMax));
  for (let i = 0; i < rounds; i++) {
    hadTurn(); // before each: where another loop awaits what is done while this one waits, it has to wait as well
    await new Promise<void>((resolve) => void timers.setImmediate(resolve));
  }
  hadTurn();
}
