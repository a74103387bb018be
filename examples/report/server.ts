/** Shows a run while it goes on: a page on this machine alone, which server-sent events keep up to date. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { page } from "./page.ts";
import type { Recorder } from "./recorder.ts";

/** A report that is being served. */
export interface LiveReport {
  readonly url: string;
  /** Call it when something was recorded: it sends what is new when enough time has passed. */
  update(): void;
  /** Sends what is left, tells every page that this is all, and stops. */
  close(): Promise<void>;
}

/** Someone who listens, and what it has been sent. */
interface Listener {
  readonly response: ServerResponse;
  mark: string;
}

const host = "127.0.0.1";
const everyMs = 250;
/** What a listener may leave unread before it is sent nothing more; it is told all at once when it reads again. */
const unreadBytesMax = 1 << 20;
/** A listener that does not read cannot hold up the end for longer. */
const farewellMs = 500;

/** Serves a recorder's run on a port of 127.0.0.1; 0 takes a free one. */
export async function serveReport(recorder: Recorder, port: number = 0): Promise<LiveReport> {
  const listeners = new Set<Listener>();
  const server = createServer((request, response) => answer(request, response, recorder, listeners));
  server.keepAliveTimeout = 1000;
  await listening(server, port);
  const { port: bound } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  let sent = performance.now();

  return {
    url: `http://${host}:${bound}/`,
    update() {
      const now = performance.now();
      if (listeners.size === 0 || now - sent < everyMs) return;
      sent = now;
      for (const listener of listeners) send(listener, recorder);
    },
    async close() {
      for (const listener of listeners) {
        send(listener, recorder);
        listener.response.end("event: end\ndata:\n\n");
      }
      const heard = [...listeners].map(({ response }) => new Promise((resolve) => response.once("finish", resolve).once("close", resolve)));
      await Promise.race([Promise.all(heard), new Promise((resolve) => setTimeout(resolve, farewellMs))]);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`Port ${port} is in use: give another as --report-port, or leave it out and a free one is taken.`, { cause: error })
          : error,
      ));
    server.listen(port, host, () => {
      server.on("error", () => {}); // what befalls one connection later must not end the training
      resolve();
    });
  });
}

function answer(request: IncomingMessage, response: ServerResponse, recorder: Recorder, listeners: Set<Listener>): void {
  const refuse = (status: number, reason: string) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${reason}\n`);
  };
  // A page from elsewhere can have its own name resolve to this machine; it does not get to read the run.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) return refuse(403, "This report is for this machine alone.");
  if (request.method !== "GET") return refuse(405, "There is nothing here but to read.");
  const { pathname, searchParams } = new URL(request.url ?? "/", `http://${host}`);
  if (pathname === "/") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    response.end(page(recorder.all(), { events: "events" }));
  } else if (pathname === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const known = request.headers["last-event-id"] ?? searchParams.get("since") ?? "";
    const listener = { response, mark: String(known) };
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
