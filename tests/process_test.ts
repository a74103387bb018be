// The process around the library: Workers, child processes, exit, memory and processor time (C10, C25, C28, C34).
import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { assertEndedWell, child, childJson, compile, findCompiler, libraryPath, slow, workers } from "./child.ts";

const folder = await mkdtemp(join(tmpdir(), "tilework-process-"));
after(() => rm(folder, { recursive: true, force: true }));

const timeout = slow ? 600_000 : 110_000;
const secondsMax = slow ? 500 : 100;
const compiler = await findCompiler();
const notLinux = process.platform === "linux" ? false : "reads /proc";

/** Eight workers of the pool, whatever the machine has; every product is parallel. */
const wide = `
  import { cpuDevice, matmul, ones, scope } from "tilework";
  export const wide = cpuDevice({ threads: 8, tuning: { cores: 8, parallelThreshold: 0, gemvParallelBytes: 0 } });
  /** A product of ones on eight threads, which must be all n. */
  export function product(n, device = wide) {
    scope(() => {
      const a = ones(device, [n, n]);
      const c = matmul(a, a).readSync();
      for (let i = 0; i < c.length; i++) if (c[i] !== n) throw new Error("element " + i + " is " + c[i] + ", must be " + n);
    });
  }`;

const files = { "wide.ts": wide, "workers.ts": workers };

/** The names of this process's threads, where the system tells them. */
const poolThreads = `
  import { readdirSync, readFileSync } from "node:fs";
  export function poolThreads() {
    return readdirSync("/proc/self/task").filter((id) => {
      try {
        return readFileSync("/proc/self/task/" + id + "/comm", "utf8").startsWith("tilework-");
      } catch {
        return false; // it has just ended
      }
    }).length;
  }`;

test("child processes between parallel products end, and so do the products (C25 a)", { timeout }, async () => {
  const count = slow ? 200 : 30;
  const command = process.platform === "win32" ? [process.execPath, "--version"] : ["true"];
  const ended = await child(
    `
    import { spawn, spawnSync } from "node:child_process";
    import { product } from "./wide.ts";
    const command = ${JSON.stringify(command)};
    product(96);
    for (let i = 0; i < ${count}; i++) {
      if (i % 2 === 0) {
        if (spawnSync(command[0], command.slice(1)).status !== 0) throw new Error("child " + i);
      } else {
        const child = spawn(command[0], command.slice(1), { stdio: "ignore" });
        const ended = new Promise((resolve) => child.on("close", resolve));
        product(96); // while it runs
        if (await ended !== 0) throw new Error("child " + i);
      }
      product(96);
    }`,
    { files, secondsMax },
  );
  assertEndedWell(ended);
});

test("a message that is posted at once reaches a Worker that imports the library", { timeout }, async () => {
  const answers = await childJson(
    `
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url).href, { type: "module" });
      const answer = new Promise((resolve, reject) => {
        worker.onmessage = (event) => resolve(event.data);
        worker.onerror = (event) => reject(new Error(event.message));
      });
      worker.postMessage(i);
      return answer.finally(() => worker.terminate());
    }));
    console.log(JSON.stringify(answers));`,
    {
      files: {
        "worker.ts": `
          import { cpu, matmul, tensor } from "tilework";
          self.onmessage = ({ data }) => {
            const a = tensor(cpu, [2, 2], [1, 2, 3, data]);
            self.postMessage([...matmul(a, a).readSync()]);
          };`,
      },
      secondsMax,
    },
  );
  assert.deepEqual(answers, Array.from({ length: 50 }, (_, i) => [7, 2 + 2 * i, 3 + 3 * i, 6 + i * i]));
});

test("Workers that load the library, multiply and are terminated leave a process that works and ends (C25 b)", { timeout }, async () => {
  const count = slow ? 50 : 10;
  const ended = await child(
    `
    import { message, start } from "./workers.ts";
    // This thread does not load the library before the last Worker is gone: then the runtime may unload it each time.
    for (let i = 0; i < ${count}; i++) {
      const worker = start("./worker.ts");
      if (await message(worker) !== "done") throw new Error("worker");
      worker.terminate();
    }
    const { product } = await import("./wide.ts");
    product(96);
    console.log("end", Date.now());`,
    { files: { ...files, "worker.ts": `import { product } from "./wide.ts"; product(96); self.postMessage("done");` }, secondsMax },
  );
  assertEndedWell(ended);
  assert.match(ended.stdout, /^end \d+\n$/);
  const late = Date.now() - Number(ended.stdout.split(" ")[1]);
  assert.ok(late < 2000, `it took ${late} ms to end`);
});

test("Workers that use one thread and are terminated crash nothing", { timeout }, async () => {
  const ended = await child(
    `
    import { message, start } from "./workers.ts";
    for (let i = 0; i < ${slow ? 50 : 8}; i++) {
      const worker = start("./worker.ts");
      await message(worker);
      worker.terminate();
    }`,
    {
      files: {
        ...files,
        "worker.ts": `
          import { cpuDevice } from "tilework";
          import { product } from "./wide.ts";
          product(32, cpuDevice({ threads: "serial" }));
          self.postMessage("done");`,
      },
      secondsMax,
    },
  );
  assertEndedWell(ended);
});

test("Workers that are terminated in the middle of a product, or close themselves, crash nothing", { timeout }, async () => {
  const ended = await child(
    `
    import { message, pause, start } from "./workers.ts";
    for (let i = 0; i < ${slow ? 50 : 6}; i++) {
      const worker = start(i % 3 === 2 ? "./closes.ts" : "./busy.ts");
      await message(worker);
      if (i % 3 !== 2) worker.terminate();
      await pause(i % 2 * 20);
    }
    const { product } = await import("./wide.ts");
    product(96);`,
    {
      files: {
        ...files,
        // A loop that never yields would not end at all: Deno does not interrupt it, with or without this library.
        "busy.ts": `
          import { product } from "./wide.ts";
          product(64);
          self.postMessage("running");
          while (true) {
            for (let i = 0; i < 5; i++) product(160);
            await new Promise((resolve) => setTimeout(resolve));
          }`,
        "closes.ts": `import { product } from "./wide.ts"; product(64); self.postMessage("closing"); self.close();`,
      },
      secondsMax,
    },
  );
  assertEndedWell(ended);
});

test("tensors of a Worker are freed when it is terminated, and no other thread can use them", { timeout }, async () => {
  const { before, during, left, refused } = await childJson(
    `
    import { cpu, memory, tensor } from "tilework";
    import { message, pause, start } from "./workers.ts";
    const mine = tensor(cpu, [2], [1, 2]);
    const before = memory();
    const worker = start("./worker.ts");
    const handle = await message(worker);
    const during = memory();
    const own = mine.handle;
    let refused = "";
    mine.handle = handle; // as if a handle could be sent
    try { mine.readSync(); } catch (error) { refused = error.message; }
    mine.handle = own;
    worker.terminate();
    for (let i = 0; i < 500 && memory().tensors > before.tensors; i++) await pause(10);
    console.log(JSON.stringify({ before, during, left: memory(), refused, mine: [...mine.readSync()] }));`,
    {
      files: {
        ...files,
        "worker.ts": `
          import { cpu, ones, transpose } from "tilework";
          const kept = Array.from({ length: 10 }, () => ones(cpu, [512, 512]));
          const views = kept.map((x) => transpose(x));
          self.postMessage(kept[0].handle);
          setInterval(() => kept.length + views.length, 1000);`,
      },
      secondsMax,
    },
  ) as { before: Numbers; during: Numbers; left: Numbers; refused: string };
  assert.equal(during.tensors! - before.tensors!, 20);
  assert.ok(during.bytes! - before.bytes! >= 10 * 2 ** 20);
  assert.equal(refused, "read: a tensor was disposed, or belongs to another Worker");
  assert.deepEqual([left.tensors, left.bytes], [before.tensors, before.bytes]);
});

type Numbers = Record<string, number>;

test("many Workers load the library at the same time and multiply at once: every element is right (C10, C34)", { timeout }, async () => {
  const count = slow ? 32 : 8;
  const seen = await childJson(
    `
    import { message, start } from "./workers.ts";
    const all = Array.from({ length: ${count} }, () => start("./worker.ts"));
    const answers = (expected) => Promise.all(all.map(async (worker) => {
      const answer = await message(worker);
      if (answer !== expected) throw new Error(answer);
    }));
    await answers("ready");
    const done = answers("done");
    for (const worker of all) worker.postMessage("go");
    await done;
    for (const worker of all) worker.terminate();
    const { poolThreads } = await import("./pool_threads.ts");
    console.log(JSON.stringify(${notLinux ? 7 : "poolThreads()"}));
    `,
    {
      files: {
        ...files,
        "pool_threads.ts": poolThreads,
        "worker.ts": `
          self.onmessage = async () => {
            try {
              const { wide } = await import("./wide.ts");
              const { layerNorm, matmul, ones, scope, zeros } = await import("tilework");
              const a = ones(wide, [64, 64]), weight = ones(wide, [64]), bias = zeros(wide, [64]);
              for (let i = 0; i < 200; i++) {
                scope(() => {
                  const c = matmul(a, a).readSync();
                  for (const v of c) if (v !== 64) throw new Error("an element is " + v);
                  if (i % 4 === 0) for (const v of layerNorm(a, { weight, bias }).readSync()) if (v !== 0) throw new Error("a norm is " + v);
                });
              }
              self.postMessage("done");
            } catch (error) {
              self.postMessage(String(error?.stack ?? error));
            }
          };
          self.postMessage("ready");`,
      },
      secondsMax,
    },
  );
  assert.equal(seen, 7, "one pool serves them all");
});

test(
  "the pool starts with the first parallel call, and holds one thread less than it was asked for",
  { timeout, skip: notLinux },
  async () => {
    const seen = await childJson(
      `
    import { cpu, cpuDevice, ones, matmul } from "tilework";
    import { poolThreads } from "./pool_threads.ts";
    const seen = [];
    const use = (threads) => {
      const d = cpuDevice({ threads, tuning: { cores: 8, parallelThreshold: 0 } });
      using a = ones(d, [128, 128]);
      using c = matmul(a, a);
      seen.push(poolThreads());
    };
    seen.push(poolThreads());
    cpu.describe();
    ones(cpu, [4]);
    seen.push(poolThreads());
    use("serial"), use(2), use(8), use(3), use(16);
    console.log(JSON.stringify(seen));`,
      { files: { "pool_threads.ts": poolThreads }, secondsMax },
    );
    assert.deepEqual(seen, [0, 0, 0, 1, 7, 7, 7]); // 16 is more than the eight cores that it was told of
  },
);

test("an uncaught error while the pool is hot ends the process with code 1 and no signal (C25 c)", { timeout }, async () => {
  for (
    const last of [
      `product(96); throw new Error("on purpose");`,
      `setTimeout(() => { product(96); null.x; }); product(96);`,
      `product(96); Promise.reject(new Error("on purpose"));`,
    ]
  ) {
    const { code, signal, stderr } = await child(`import { product } from "./wide.ts"; product(96); ${last}`, { files, secondsMax });
    assert.deepEqual([code, signal], [1, null], stderr);
  }
});

test("an uncaught error while Workers multiply ends the process with code 1 and no signal", { timeout }, async () => {
  const { code, signal, stderr } = await child(
    `
    import { cpu, ones } from "tilework";
    import { message, start } from "./workers.ts";
    globalThis.kept = ones(cpu, [64]); // at the end of the process Windows calls this thread's destructor of tensors, which finds the Workers stopped anywhere
    await Promise.all(Array.from({ length: 3 }, () => message(start("./worker.ts"))));
    throw new Error("on purpose");`,
    {
      files: { ...files, "worker.ts": `import { product } from "./wide.ts"; product(96); self.postMessage(1); while (true) product(96);` },
      secondsMax,
    },
  );
  assert.deepEqual([code, signal], [1, null], stderr);
  assert.match(stderr, /on purpose/);
});

test("a process ends while the pool is hot, however it ends", { timeout }, async () => {
  const ways: [string, number][] = [["", 0], ["process.exit(0);", 0], ["process.exit(3);", 3], ["process.exitCode = 5;", 5]];
  for (const [way, code] of ways) {
    const ended = await child(
      `import process from "node:process"; import { product } from "./wide.ts"; for (let i = 0; i < 20; i++) product(96); ${way}`,
      {
        files,
        secondsMax,
      },
    );
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [code, null, ""], way);
  }
});

test("the library's file may be replaced by rename, or removed, while it is loaded (C25 e)", {
  timeout,
  skip: process.platform === "win32" ? "an open file is locked" : false,
}, async () => {
  for (const moment of ["before the first tensor", "before the first parallel call", "afterwards"]) {
    const path = join(folder, `replaced-${moment.replaceAll(" ", "-")}.so`);
    await copyFile(libraryPath, path);
    await copyFile(libraryPath, `${path}.new`);
    const ended = await child(
      `
      import { renameSync, unlinkSync } from "node:fs";
      import { cpuDevice, isAvailable } from "tilework";
      import { message, start } from "./workers.ts";
      const moment = ${JSON.stringify(moment)}, path = ${JSON.stringify(path)};
      const replace = () => renameSync(path + ".new", path);
      if (!isAvailable()) throw new Error("not loaded");
      if (moment === "before the first tensor") replace();
      const { product, wide } = await import("./wide.ts");
      product(16, cpuDevice({ threads: "serial" }));
      if (moment === "before the first parallel call") replace();
      product(96);
      if (moment === "afterwards") replace();
      for (let i = 0; i < 3; i++) {
        const worker = start("./worker.ts"); // loads the new file, beside the old one
        await message(worker);
        worker.terminate();
      }
      unlinkSync(path);
      product(96);
      console.log("end");`,
      {
        env: { TILEWORK_LIBRARY: path },
        files: { ...files, "worker.ts": `import { product } from "./wide.ts"; product(96); self.postMessage("done");` },
        secondsMax,
      },
    );
    assertEndedWell(ended);
    assert.equal(ended.stdout, "end\n");
  }
});

test("an idle pool uses no processor time (C28)", { timeout }, async () => {
  const { used, worked } = await childJson(
    `
    import process from "node:process";
    import { product } from "./wide.ts";
    const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    for (let i = 0; i < 10; i++) product(128);
    await new Promise((resolve) => setTimeout(resolve, 300)); // the runtime's own compiler and collector
    product(128);
    const before = spent();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    console.log(JSON.stringify({ used: spent() - before, worked: before }));`,
    { files, secondsMax },
  ) as Numbers;
  assert.ok(worked! > 0);
  assert.ok(used! < 50, `${used} ms of processor time in a pause of 2 s`);
});

test("threads that cannot be made are done without", {
  timeout,
  skip: notLinux || (compiler === null ? "no C compiler" : false),
}, async () => {
  // Limits of the system would stop the runtime first: this fails only for threads that the library asks for, after so many that may start.
  const shim = join(folder, "no_threads.so");
  await compile(
    ["-shared", "-fPIC", "-o", shim],
    `
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <stdlib.h>
    #include <string.h>
    int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
      static int made = 0;
      Dl_info info;
      if (dladdr(__builtin_return_address(0), &info) && strstr(info.dli_fname, "libtilework")) {
        const char *allowed = getenv("THREADS_ALLOWED");
        if (made >= (allowed ? atoi(allowed) : 0)) return EAGAIN;
        made++;
      }
      int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
      return real(thread, attr, start, arg);
    }`,
  );
  for (const allowed of [0, 3]) {
    const seen = await childJson(
      `
      import { layerNorm, ones, zeros, scope } from "tilework";
      import { product, wide } from "./wide.ts";
      import { poolThreads } from "./pool_threads.ts";
      for (const n of [1, 17, 96, 128]) for (let i = 0; i < 10; i++) product(n);
      scope(() => layerNorm(ones(wide, [64, 64]), { weight: ones(wide, [64]), bias: zeros(wide, [64]) }).readSync());
      console.log(JSON.stringify(poolThreads()));`,
      { env: { LD_PRELOAD: shim, THREADS_ALLOWED: `${allowed}` }, files: { ...files, "pool_threads.ts": poolThreads }, secondsMax },
    );
    assert.equal(seen, allowed);
  }
});
