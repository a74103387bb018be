/**
 * Keeps one core busy until its stdin ends: somebody else's program beside the one that is measured.
 *
 * @module
 */
import process from "node:process";
import { setImmediate } from "node:timers";

process.stdin.on("end", () => process.exit(0));
process.stdin.resume();

function spin(): void {
  const end = performance.now() + 20;
  while (performance.now() < end);
  setImmediate(spin); // and see whether stdin has ended
}

spin();
