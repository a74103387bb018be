/**
 * A peer that lives in a process of its own and times its own calls, so that the pipe between the two costs nothing. One process for
 * each number of threads, since some libraries read it once; started when it is first needed.
 *
 * The server reads one question a line and answers each with one line; arrays cross as files of little-endian f32 values:
 *
 *     (start)                                            ready, or anything the server wants to tell of itself
 *     prepare KIND LAYOUT M N K BATCH FOLDER             an id; reads the inputs 0, 1, … from the folder
 *     prepare rows OP ROWS COLS FOLDER                   the same for row-wise ops; servers of one group have other words of their own
 *     time ID CALLS                                      the seconds that so many calls took
 *     result ID FILE                                     ok; has written what the latest call computed
 *     drop ID                                            ok
 *
 * It ends when its stdin does.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { countAsOwn, type Prepared } from "../harness.ts";
import type { Peer, RowProblem } from "../problem.ts";

/** What a server is asked to prepare: what to compute, how it is stored, its sizes, and the inputs. */
export interface Question {
  readonly op: string;
  readonly layout: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  readonly inputs: readonly Float32Array[];
}

/** A peer that takes other problems than those of `problem.ts` too, where its server knows them. */
export interface ServerPeer extends Peer {
  prepareRows(problem: RowProblem, threads: number): Promise<Prepared>;
  prepare(question: Question, threads: number): Promise<Prepared>;
}

/** A running server. */
export interface Server {
  /** What it said when it was ready. */
  readonly greeting: string;
  ask(question: string): Promise<string>;
  /** What the latest call of a problem computed. */
  result(id: string): Promise<Float32Array>;
  close(): void;
}

/** Starts a server for one thread, to see that it runs, and returns the peer; `extra` is made from what the server says first. */
export async function serverPeer(
  name: string,
  command: (threads: number) => { program: string[]; env: Record<string, string> },
  extra: (greeting: string) => Record<string, unknown>,
): Promise<ServerPeer> {
  const servers = new Map<number, Promise<Server>>();
  const server = (threads: number) => {
    let started = servers.get(threads);
    if (!started) servers.set(threads, started = startServer(name, command(threads)));
    return started;
  };
  const { greeting } = await server(1);
  return {
    name,
    extra: extra(greeting),
    inProcess: false,
    async prepare({ op, layout, m, n, k, batch, inputs }, threads) {
      return prepare(await server(threads), `prepare ${op} ${layout} ${m} ${n} ${k} ${batch}`, inputs);
    },
    async prepareRows({ op, rows, cols, inputs }, threads) {
      return prepare(await server(threads), `prepare rows ${op} ${rows} ${cols}`, inputs);
    },
    async close() {
      for (const started of servers.values()) (await started).close();
    },
  };
}

/** Starts a server and waits until it is ready. */
export async function startServer(name: string, { program, env }: { program: string[]; env: Record<string, string> }): Promise<Server> {
  const child = spawn(program[0], program.slice(1), { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  const waiting: { resolve(answer: string): void; reject(error: Error): void }[] = [];
  let ended: string | undefined;
  const fail = (why: string) => {
    ended = why;
    for (const { reject } of waiting.splice(0)) reject(new Error(`${name}: ${why}`));
  };
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  child.on("error", (error) => fail(error.message));
  child.stdin.on("error", (error) => fail(error.message));
  child.on("exit", (code) => fail(`its process ended with status ${code}`));
  const next = () =>
    new Promise<string>((resolve, reject) => {
      if (ended === undefined) waiting.push({ resolve, reject });
      else reject(new Error(`${name}: ${ended}`));
    });
  const greeting = await next();
  if (child.pid !== undefined) countAsOwn(child.pid);
  const ask = (question: string) => {
    const answer = next();
    child.stdin.write(`${question}\n`);
    return answer;
  };
  return {
    greeting,
    ask,
    result: (id) =>
      withFolder(async (folder) => {
        const file = join(folder, "result");
        await ask(`result ${id} ${file}`);
        return new Float32Array(new Uint8Array(readFileSync(file)).buffer);
      }),
    close: () => child.stdin.end(),
  };
}

/** A problem on a server: the question without its folder, and the inputs for that. */
export async function prepare(server: Server, question: string, inputs: readonly Float32Array[]): Promise<Prepared> {
  const id = await withValues(inputs, (folder) => server.ask(`${question} ${folder}`));
  return {
    time: async (calls) => Number(await server.ask(`time ${id} ${calls}`)),
    result: () => server.result(id),
    dispose: async () => void await server.ask(`drop ${id}`),
  };
}

/** Writes arrays as files 0, 1, … into a folder that `body` may read, and removes it afterwards. */
function withValues<T>(inputs: readonly Float32Array[], body: (folder: string) => Promise<T>): Promise<T> {
  return withFolder((folder) => {
    for (const [index, values] of inputs.entries()) {
      writeFileSync(join(folder, String(index)), new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
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
