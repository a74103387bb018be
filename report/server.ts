/** Shows a run while it goes on: a page on this machine alone, which server-sent events keep up to date. */

import { ReportError } from "./errors.ts";
import { http, timers } from "./node.ts";
import { page } from "./page.ts";
import type { Recorder } from "./recorder.ts";

/** A report that is being served. */
export interface Server {
  readonly url: string;
  /** Sends what is new to every page that listens. */
  send(): void;
  /** Sends the remaining values and the end to every page, and stops. */
  close(): Promise<void>;
}

/** What is used of Node's request and answer: a project may have no types for them. */
interface Request {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
interface Response {
  readonly writableLength: number;
  writeHead(status: number, headers: Record<string, string>): Response;
  write(text: string): unknown;
  end(text?: string): unknown;
  on(event: string, listener: () => void): unknown;
}

/** A page that listens, and what it has been sent. */
interface Listener {
  readonly response: Response;
  mark: string;
}

const host = "127.0.0.1";
/** What a listener may leave unread before it is sent nothing more; it is sent all at once when it reads again. */
const unreadBytesMax = 1 << 20;
/** A listener that does not read cannot hold up the end for longer. */
const farewellMs = 500;

/** Serves a recorder's run on a port of 127.0.0.1; 0 takes a free one. */
export async function serve(recorder: Recorder, port: number): Promise<Server> {
  const listeners = new Set<Listener>();
  const server = http.createServer((request: Request, response: Response) => answer(request, response, recorder, listeners));
  server.keepAliveTimeout = 1000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: Error) => {
      const inUse = (cause as { code?: string }).code === "EADDRINUSE";
      const reason = inUse ? `port ${port} is in use: name another, or none and a free one is taken` : cause.message;
      reject(new ReportError(`report.serve: ${reason}`, { cause }));
    });
    server.listen(port, host, () => {
      server.on("error", () => {}); // what befalls one connection later must not end the training
      resolve();
    });
  });
  const { port: bound } = server.address() as { port: number }; // it listens on a port, not on a pipe
  return {
    url: `http://${host}:${bound}/`,
    send() {
      for (const listener of listeners) send(listener, recorder);
    },
    async close() {
      const heard = [...listeners].map((listener) => {
        const { response } = listener;
        send(listener, recorder);
        const done = new Promise<void>((resolve) => {
          response.on("finish", resolve);
          response.on("close", resolve);
        });
        response.end("event: end\ndata:\n\n");
        return done;
      });
      await Promise.race([Promise.all(heard), new Promise<void>((resolve) => timers.setTimeout(resolve, farewellMs))]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: Request, response: Response, recorder: Recorder, listeners: Set<Listener>): void {
  const refuse = (status: number, reason: string) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${reason}\n`);
  };
  // A page from elsewhere can have its own name resolve to this machine; it does not get to read the run.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(`${request.headers["host"]}`)) return refuse(403, "This report is for this machine alone.");
  if (request.method !== "GET") return refuse(405, "There is nothing here but to read.");
  const { pathname, searchParams } = new URL(request.url ?? "/", `http://${host}`);
  if (pathname === "/") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    response.end(page(recorder.all(), { events: "events" }));
  } else if (pathname === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const known = request.headers["last-event-id"] ?? searchParams.get("since") ?? "";
    const listener = { response, mark: `${known}` };
    listeners.add(listener);
    response.on("close", () => listeners.delete(listener));
    response.on("error", () => listeners.delete(listener));
    send(listener, recorder);
  } else refuse(404, "There is nothing here.");
}

/** Sends a listener what it does not know, unless it has not read what it was sent. */
function send(listener: Listener, recorder: Recorder): void {
  if (listener.response.writableLength > unreadBytesMax) return;
  const run = recorder.since(listener.mark);
  listener.response.write(`id: ${run.mark}\ndata: ${JSON.stringify(run)}\n\n`);
  listener.mark = run.mark;
}
