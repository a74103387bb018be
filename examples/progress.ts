/** A progress bar on standard error; where that is no terminal, a plain line now and then. */
import process from "node:process";

/** Shows how far a loop has come. */
export interface Progress extends Disposable {
  /** Call it after every step; it draws when enough time has passed. `load` is the part of the work that each expert had. */
  update(done: number, loss: number, load?: readonly number[]): void;
}

const barWidth = 24;

/** Progress through `total` steps of `perStep` tokens (or what they are called) each, of which `start` were done before. */
export function progress(total: number, start: number, perStep: number, what: string = "tokens"): Progress {
  const terminal = process.stderr.isTTY === true;
  const began = performance.now();
  const everyMs = terminal ? 100 : 10_000;
  let drawn = -Infinity;
  let latest = "";

  const draw = (done: number, loss: number, load?: readonly number[]) => {
    const seconds = (performance.now() - began) / 1000, rate = (done - start) / seconds;
    const left = done < total ? `${duration((total - done) / rate)} left` : `took ${duration(seconds)}`;
    const experts = load ? `  experts ${load.map((part) => Math.round(100 * part)).join("/")} %` : "";
    const text = `step ${done}/${total}  loss ${loss.toFixed(3)}${experts}  ${thousands(rate * perStep)} ${what}/s  ${left}`;
    if (!terminal) return void process.stderr.write(`${text}\n`);
    const columns = process.stderr.columns || 80;
    const width = Math.max(0, Math.min(barWidth, columns - text.length - 3)), filled = Math.round(width * done / total);
    const line = `${"█".repeat(filled)}${"░".repeat(width - filled)}  ${text}`.slice(0, columns - 1); // a line that wraps could not be overwritten
    process.stderr.write(`\r${line.padEnd(latest.length)}`);
    latest = line;
  };

  return {
    update(done, loss, load) {
      const now = performance.now();
      if (now - drawn < everyMs && done < total) return;
      drawn = now;
      draw(done, loss, load);
    },
    [Symbol.dispose]() {
      if (terminal && latest !== "") process.stderr.write("\n");
    },
  };
}

/** `12 345`, in every locale. */
export function thousands(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, " ");
}

/** `48 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}
