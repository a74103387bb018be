/** A headless Chromium, for what only a browser can say of a page. Driven over its DevTools protocol, so that no package is needed. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { exists } from "./child.ts";

/** The command of a browser, or undefined where none is installed. */
export async function findBrowser(): Promise<string | undefined> {
  for (const command of ["chromium-headless-shell", "chromium"]) if (await exists(command, "--version")) return command;
  return undefined;
}

/** How a page is looked at. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
  /** As it would be printed. */
  readonly print?: boolean;
}

/** An open page. */
export interface Page {
  /** What a page should not say: exceptions, errors on the console, requests that failed or were refused. */
  readonly complaints: string[];
  /** Opens an address and waits until it has loaded. */
  open(url: string, view: View): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Asks again and again until the expression is true. */
  until(expression: string): Promise<void>;
  /** A pointer at this place, from the page's upper left corner. */
  point(x: number, y: number): Promise<void>;
  press(key: string): Promise<void>;
}

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: { message: string } };

/** No look at a page takes that long; a browser that hangs is ended, and what waits for it fails. */
const secondsMax = 100;

/** Starts the browser, gives `body` a page, and ends it. */
export async function withPage(command: string, body: (page: Page) => Promise<void>): Promise<void> {
  const profile = await mkdtemp(join(tmpdir(), "tilework-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"];
  const browser = spawn(command, [...flags, "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // a group of its own: the command is a script that starts the browser, and that has children again
  });
  const ended = new Promise<void>((resolve) => browser.once("exit", () => resolve()));
  const end = () => {
    if (browser.pid !== undefined && browser.exitCode === null && browser.signalCode === null) process.kill(-browser.pid, "SIGKILL");
  };
  const timer = setTimeout(end, 1000 * secondsMax);
  try {
    const endpoint = await new Promise<string>((resolve, reject) => {
      let said = "";
      browser.stderr.on("data", (chunk) => {
        said += chunk;
        const found = /DevTools listening on ws:\/\/([^/]+)/.exec(said);
        if (found) resolve(found[1]!);
      });
      browser.once("error", reject);
      browser.once("close", () => reject(new Error(`${command} ended before it listened:\n${said}`)));
    });
    const targets = await (await fetch(`http://${endpoint}/json`)).json() as { type: string; webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(targets.find(({ type }) => type === "page")!.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`${command} does not answer on ${endpoint}`));
    });
    await body(await pageOn(socket));
    socket.close();
  } finally {
    clearTimeout(timer);
    end();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function pageOn(socket: WebSocket): Promise<Page> {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const heard: Record<string, ((params: unknown) => void)[]> = {};
  let count = 0;
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(String(data)) as Message;
    if (method !== undefined) { for (const hear of heard[method] ?? []) hear(params); }
    if (id === undefined) return;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  };
  socket.onclose = () => waiting.forEach(({ reject }) => reject(new Error(`the browser is gone after at most ${secondsMax} s`)));
  const call = (method: string, params: Record<string, unknown> = {}) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.set(++count, { resolve, reject });
      socket.send(JSON.stringify({ id: count, method, params }));
    });
  const on = (method: string, hear: (params: unknown) => void) => (heard[method] ??= []).push(hear);

  const complaints: string[] = [];
  on("Runtime.exceptionThrown", (params) => complaints.push(JSON.stringify(params)));
  on("Runtime.consoleAPICalled", (params) => {
    const { type } = params as { type: string };
    if (type === "error" || type === "warning") complaints.push(JSON.stringify(params));
  });
  on("Log.entryAdded", (params) => {
    const { entry } = params as { entry: { level: string } };
    if (entry.level === "error" || entry.level === "warning") complaints.push(JSON.stringify(entry));
  });
  for (const domain of ["Page", "Runtime", "Log"]) await call(`${domain}.enable`);

  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }) as {
      result: { value: T };
      exceptionDetails?: unknown;
    };
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };
  const until = async (expression: string) => {
    const end = performance.now() + 20_000;
    while (!await evaluate<boolean>(`Boolean(${expression})`)) {
      if (performance.now() > end) throw new Error(`not within 20 s: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    complaints,
    evaluate,
    async open(url, { width, height, dark, print = false }) {
      await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await call("Emulation.setEmulatedMedia", {
        media: print ? "print" : "screen",
        features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
      });
      await call("Page.navigate", { url });
      await until(`document.readyState === "complete"`);
    },
    until,
    async point(x, y) {
      await call("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    },
    async press(key) {
      await call("Input.dispatchKeyEvent", { type: "keyDown", key });
      await call("Input.dispatchKeyEvent", { type: "keyUp", key });
    },
  };
}
