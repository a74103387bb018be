// The Worker of the web for Node, which has threads of its own form only, as far as the tests need it: `node --import` takes this file, and Node gives
// it to the threads too.
import { isMainThread, parentPort, Worker as Thread } from "node:worker_threads";

globalThis.Worker = class Worker {
  #thread;
  onmessage = null;
  onerror = null;

  constructor(url) {
    this.#thread = new Thread(new URL(url));
    this.#thread.on("message", (data) => this.onmessage?.({ data }));
    this.#thread.on("error", (error) => this.onerror?.({ error, message: error.message, preventDefault() {} }));
  }

  postMessage(data, transfer) {
    this.#thread.postMessage(data, transfer);
  }

  terminate() {
    this.#thread.terminate();
  }
};

// The test runner talks to the files that it starts by a channel of processes: only a thread has a port.
if (!isMainThread && parentPort) {
  globalThis.self = globalThis;
  globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
  Object.defineProperty(globalThis, "onmessage", {
    set(listener) {
      parentPort.on("message", (data) => listener({ data }));
    },
  });
}
