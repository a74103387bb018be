/**
 * A peer that lives in a process of its own and times its own calls, so that the pipe between the two costs nothing. One process for each
 * number of threads, since some libraries read it once; started when it is first needed.
 *
 * The server reads one question a line and answers each with one line; arrays cross as files of little-endian values, f32 or, under names
 * that end in `.f64`, f64:
 *
 *     (start)                                            ready, or anything the server wants to tell of itself
 *     prepare KIND LAYOUT M N K BATCH FOLDER             an id; reads the inputs 0, 1, … from the folder
 *     prepare rows OP ROWS COLS FOLDER                   the same for row-wise ops; servers of one group have other words of their own
 *     time ID CALLS                                      the seconds that so many calls took
 *     result ID FILE                                     ok, or f64; has written what the latest call computed, in f32 or in f64
 *     drop ID                                            ok
 *
 * An answer that begins with `error ` says why the server could not do it. It ends when its stdin does. A server that ended before, or that
 * does not answer for minutes, is started again for the next problem.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { countAsOwn, type Prepared, reasonOf, type Values } from "../harness.ts";
import type { Peer } from "../problem.ts";

/** How to start a server for so many threads. */
export type Command = (threads: number) => { program: string[]; env: Record<string, string> };

/** A running server. */
export interface Server {
  /** What it said when it was ready. */
  readonly greeting: string;
  ask(question: string): Promise<string>;
  /** What the latest call of a problem computed. */
  result(id: string): Promise<Values>;
  /** Whether its process has ended, or was ended since it did not answer. */
  ended(): boolean;
  close(): void;
}

/** The servers of one peer: one for each number of threads, started when it is first needed, and again if it has ended. */
export class Servers {
  #name: string;
  #command: Command;
  #answerSecondsMax: number;
  #running = new Map<number, Server>();
  /** Why the program does not start: it is not tried again for every case. */
  #unusable: string | undefined;

  /** A server that gives no answer for so long is ended: the longest turn of the largest cases is far shorter. */
  constructor(name: string, command: Command, answerSecondsMax: number = 300) {
    this.#name = name;
    this.#command = command;
    this.#answerSecondsMax = answerSecondsMax;
  }

  /** Throws an Error that says why, if the program cannot be started. */
  async for(threads: number): Promise<Server> {
    const running = this.#running.get(threads);
    if (running && !running.ended()) return running;
    if (this.#unusable !== undefined) throw new Error(this.#unusable);
    try {
      const started = await startServer(this.#name, this.#command(threads), this.#answerSecondsMax);
      this.#running.set(threads, started);
      return started;
    } catch (error) {
      this.#unusable = reasonOf(error);
      throw error;
    }
  }

  /** A problem for so many threads: the question without its folder, and the inputs for that. */
  async prepare(threads: number, question: string, inputs: readonly Values[]): Promise<Prepared> {
    return prepare(await this.for(threads), question, inputs);
  }

  close(): void {
    for (const server of this.#running.values()) server.close();
  }
}

/** Starts a server for one thread, to see that it runs, and returns the peer; `extra` is made from what the server says first. */
export async function serverPeer(name: string, command: Command, extra: (greeting: string) => Record<string, unknown>): Promise<Peer> {
  const servers = new Servers(name, command);
  const { greeting } = await servers.for(1);
  return {
    name,
    extra: extra(greeting),
    inProcess: false,
    dtypes: ["f32"],
    prepare: ({ op, layout, m, n, k, batch, inputs }, threads) =>
      servers.prepare(threads, `prepare ${op} ${layout} ${m} ${n} ${k} ${batch}`, inputs),
    close: () => servers.close(),
  };
}

const startSecondsMax = 300;

/** Starts a server and waits until it is ready. */
async function startServer(name: string, { program, env }: ReturnType<Command>, answerSecondsMax: number): Promise<Server> {
  const child = spawn(program[0], program.slice(1), { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  const waiting: { resolve(answer: string): void; reject(error: Error): void }[] = [];
  let ended: string | undefined;
  const fail = (why: string) => {
    ended ??= why;
    for (const { reject } of waiting.splice(0)) reject(new Error(`${name}: ${why}`));
  };
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  child.on("error", (error) => fail(error.message));
  // A broken pipe is what its end looks like from here: the status says more, and comes at once.
  child.stdin.on("error", (error) => setTimeout(() => fail(error.message), 1000));
  child.on("exit", (code, signal) => fail(`its process ended ${code === null ? `by ${signal}` : `with status ${code}`}`));
  const next = async (secondsMax: number) => {
    if (ended !== undefined) throw new Error(`${name}: ${ended}`);
    const patience = setTimeout(() => {
      fail(`it gave no answer for ${secondsMax} s`);
      child.kill("SIGKILL");
    }, 1000 * secondsMax);
    const answer = await new Promise<string>((resolve, reject) => waiting.push({ resolve, reject })).finally(() => clearTimeout(patience));
    if (answer.startsWith("error ")) throw new Error(`${name}: ${answer.slice("error ".length)}`);
    return answer;
  };
  const greeting = await next(startSecondsMax);
  if (child.pid !== undefined) countAsOwn(child.pid);
  const ask = (question: string) => {
    const answer = next(answerSecondsMax);
    child.stdin.write(`${question}\n`);
    return answer;
  };
  return {
    greeting,
    ask,
    result: (id) =>
      withFolder(async (folder) => {
        const file = join(folder, "result");
        const answer = await ask(`result ${id} ${file}`), { buffer } = new Uint8Array(readFileSync(file));
        return answer === "f64" ? new Float64Array(buffer) : new Float32Array(buffer);
      }),
    ended: () => ended !== undefined,
    close: () => child.stdin.end(),
  };
}

async function prepare(server: Server, question: string, inputs: readonly Values[]): Promise<Prepared> {
  const id = await withValues(inputs, (folder) => server.ask(`${question} ${folder}`));
  return {
    async time(calls) {
      const answer = await server.ask(`time ${id} ${calls}`), seconds = Number(answer);
      if (!(seconds >= 0)) throw new Error(`the server answered ${answer} instead of seconds`);
      return seconds;
    },
    result: () => server.result(id),
    dispose: async () => void await server.ask(`drop ${id}`),
  };
}

/** Writes arrays as files 0, 1, … into a folder that `body` may read, and removes it afterwards. */
function withValues<T>(inputs: readonly Values[], body: (folder: string) => Promise<T>): Promise<T> {
  return withFolder((folder) => {
    for (const [index, values] of inputs.entries()) {
      const name = values instanceof Float64Array ? `${index}.f64` : String(index);
      writeFileSync(join(folder, name), new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    return body(folder);
  });
}

async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tilework-bench-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
