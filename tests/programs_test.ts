// The library in programs that are no JavaScript runtime: plain C and Python (C34), many native callers at once (C10), fork, and no threads to be had.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { manifest } from "../ffi/symbols.gen.ts";
import { assertEndedWell, compile, type Ended, exists, findCompiler, libraryPath, run, slow } from "./child.ts";

const folder = await mkdtemp(join(tmpdir(), "tilework-programs-"));
after(() => rm(folder, { recursive: true, force: true }));

const windows = process.platform === "win32";
const noCompiler = windows ? "needs dlopen" : await findCompiler() === null ? "no C compiler" : false;
const noPython = windows ? "needs dlopen" : await exists("python3", "-c", "import ctypes") ? false : "no Python 3";
const timeout = 120_000;

/** A device's settings in C: `threads` workers on 8 cores, every product parallel, the rest by default. */
const settings = manifest.settings.map(({ name }) =>
  name === "threads" ? "threads" : name === "cores" ? "8" : name === "parallelThreshold" ? "0" : "-1"
);

/** A program with one mode an argument; each ends with 0 where all is well. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t (*device_new)(const double *, uint32_t);
static uint32_t (*tensor_new)(uint32_t, uint32_t, const double *);
static int32_t (*tensor_free)(uint32_t);
static int32_t (*tensor_write)(uint32_t, const void *, double);
static int32_t (*tensor_read)(void *, uint32_t, double);
static int32_t (*matmul)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, double, double);
static void (*memory_statistics)(double *);
static void *library;
static int rounds;

static void *symbol(const char *name) {
  void *s = dlsym(library, name);
  if (!s) { fprintf(stderr, "%s\\n", dlerror()); exit(2); }
  return s;
}

static void load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) { fprintf(stderr, "%s\\n", dlerror()); exit(2); }
  *(void **)&device_new = symbol("tw_device_new");
  *(void **)&tensor_new = symbol("tw_tensor_new");
  *(void **)&tensor_free = symbol("tw_tensor_free");
  *(void **)&tensor_write = symbol("tw_tensor_write");
  *(void **)&tensor_read = symbol("tw_tensor_read");
  *(void **)&matmul = symbol("tw_matmul");
  *(void **)&memory_statistics = symbol("tw_memory_statistics");
}

static uint32_t device(int threads) {
  double settings[] = {${settings.join(", ")}};
  return device_new(settings, ${settings.length});
}

/* A product of ones, n by n, which must be all n. Answers the number of wrong elements, or -1. */
static int product(uint32_t device, int n) {
  double shape[2] = {n, n};
  size_t bytes = sizeof(float) * n * n;
  float *data = malloc(bytes);
  for (int i = 0; i < n * n; i++) data[i] = 1;
  uint32_t a = tensor_new(0, 2, shape), c = tensor_new(0, 2, shape);
  int wrong = a == 0 || c == 0 || tensor_write(a, data, bytes) || matmul(device, c, a, a, 0, 0, 1, 0) || tensor_read(data, c, bytes) ? -1 : 0;
  if (wrong == 0) for (int i = 0; i < n * n; i++) wrong += data[i] != n;
  if (tensor_free(a) || tensor_free(c)) wrong = -1;
  free(data);
  return wrong;
}

static void *caller(void *arg) {
  uint32_t d = device(8);
  intptr_t wrong = 0;
  for (int i = 0; i < rounds; i++) wrong |= product(d, 64);
  double shape[1] = {1000};
  for (int i = 0; i < 3; i++) tensor_new(0, 1, shape); /* left behind: freed with the thread */
  return (void *)wrong;
}

static volatile int made;

static void *lingerer(void *arg) { /* ends after the library was closed */
  double shape[1] = {1000};
  void *failed = (void *)(intptr_t)(tensor_new(0, 1, shape) == 0);
  made = 1;
  usleep(50000);
  return failed;
}

int main(int argc, char **argv) {
  const char *mode = argv[2];
  rounds = argc > 3 ? atoi(argv[3]) : 50;
  load(argv[1]);
  if (!strcmp(mode, "parallel")) {
    for (int i = 0; i < rounds; i++) if (product(device(8), 96)) return 3;
    return product(device(1), 96) ? 3 : 0;
  }
  if (!strcmp(mode, "callers")) {
    pthread_t threads[32];
    for (int i = 0; i < 32; i++) if (pthread_create(&threads[i], 0, caller, 0)) return 4;
    void *wrong;
    for (int i = 0; i < 32; i++) { pthread_join(threads[i], &wrong); if (wrong) return 3; }
    double statistics[4];
    memory_statistics(statistics);
    return statistics[0] == 0 && statistics[1] == 0 ? 0 : 5;
  }
  if (!strcmp(mode, "foreign")) { /* another thread's tensor */
    double shape[1] = {4};
    float data[4];
    uint32_t x = tensor_new(0, 1, shape);
    pthread_t thread;
    void *wrong;
    if (pthread_create(&thread, 0, caller, 0) || pthread_join(thread, &wrong)) return 4;
    return tensor_read(data, x, 16) == 0 && tensor_read(data, x, 12) != 0 && tensor_read(data, x + 1, 16) != 0 ? 0 : 3;
  }
  if (!strcmp(mode, "close")) { /* the pool's threads still run when it is closed */
    if (product(device(8), 96)) return 3;
    dlclose(library);
    usleep(20000);
    load(argv[1]);
    return product(device(8), 96) ? 3 : 0;
  }
  if (!strcmp(mode, "thread-close")) { /* closed before the thread that made tensors ends */
    pthread_t thread;
    void *failed;
    if (pthread_create(&thread, 0, lingerer, 0)) return 4;
    while (!made) usleep(1000);
    dlclose(library);
    return pthread_join(thread, &failed) || failed ? 3 : 0;
  }
  if (!strcmp(mode, "fork")) { /* a child without a new program has no pool threads; it makes its own */
    if (product(device(8), 96)) return 3;
    for (int i = 0; i < 5; i++) {
      pid_t child = fork();
      if (child == 0) { alarm(20); _exit(product(device(8), 96) == 0 && product(device(1), 32) == 0 ? 0 : 3); }
      int status;
      if (product(device(8), 96)) return 3;
      if (waitpid(child, &status, 0) != child) return 4;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 6;
    }
    return 0;
  }
  if (!strcmp(mode, "no-threads")) { /* as a user who may start none; root always may */
    if (getuid() == 0 && (setgid(65534) || setuid(65534))) return 77;
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_NPROC, &none)) return 77;
    pthread_t thread;
    if (pthread_create(&thread, 0, caller, 0) == 0) return 77;
    for (int i = 0; i < rounds; i++) if (product(device(8), 96)) return 3;
    return 0;
  }
  if (!strcmp(mode, "quit")) { /* while others multiply */
    rounds = 1 << 30;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) if (pthread_create(&threads[i], 0, caller, 0)) return 4;
    usleep(100000);
    exit(0);
  }
  return 1;
}
`;

const program = join(folder, "program");
before(async () => {
  if (noCompiler === false) await compile(["-o", program], source);
});

const embed = (...args: string[]): Promise<Ended> => run([program, libraryPath, ...args], { secondsMax: 100 });

const modes: [string, string][] = [
  ["a C program loads the library and multiplies on eight threads (C34)", "parallel"],
  ["a handle that belongs to another thread, or to nobody, is refused", "foreign"],
  ["a C program may close the library while its threads wait, and load it again", "close"],
  ["a C program may close the library while a thread of its own has tensors", "thread-close"],
  ["a process that is forked without a new program multiplies on its own pool (C25)", "fork"],
  ["a C program ends while other threads multiply", "quit"],
];
for (const [name, mode] of modes) {
  test(name, { timeout, skip: noCompiler }, async () => assertEndedWell(await embed(mode)));
}

test("32 native callers at once: every element is right, and their tensors go with them (C10)", { timeout, skip: noCompiler }, async () => {
  assertEndedWell(await embed("callers", slow ? "200" : "20"));
});

test("a C program that may start no thread multiplies all the same", { timeout, skip: noCompiler }, async () => {
  const ended = await embed("no-threads");
  if (ended.code === 77) return; // the limit cannot be set here
  assertEndedWell(ended);
});

const python = `
import ctypes, sys, threading
lib = ctypes.CDLL(sys.argv[1])
lib.tw_manifest.restype = ctypes.c_uint32
manifest = ctypes.create_string_buffer(lib.tw_manifest(ctypes.create_string_buffer(1), 0))
lib.tw_manifest(manifest, len(manifest))
import json
table = json.loads(manifest.raw)
symbols = table["symbols"]
given = {"threads": 8, "cores": 8, "parallelThreshold": 0}
settings = [given.get(s["name"], -1) for s in table["settings"]]
types = {"u32": ctypes.c_uint32, "i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double, "buffer": ctypes.c_void_p, "void": None}
for name, s in symbols.items():
    f = getattr(lib, name)
    f.argtypes, f.restype = [types[p] for p in s["parameters"]], types[s["result"]]

def product(n):
    device = lib.tw_device_new((ctypes.c_double * len(settings))(*settings), len(settings))
    shape, ones = (ctypes.c_double * 2)(n, n), (ctypes.c_float * (n * n))(*[1] * (n * n))
    a, c = lib.tw_tensor_new(0, 2, shape), lib.tw_tensor_new(0, 2, shape)
    assert device and a and c
    assert lib.tw_tensor_write(a, ones, 4 * n * n) == 0
    assert lib.tw_matmul(device, c, a, a, 0, 0, 1.0, 0.0) == 0
    out = (ctypes.c_float * (n * n))()
    assert lib.tw_tensor_read(out, c, 4 * n * n) == 0
    assert all(v == n for v in out)
    assert lib.tw_tensor_free(a) == 0 and lib.tw_tensor_free(a) != 0 and lib.tw_tensor_free(c) == 0

product(96)
failed = []
def work():
    try:
        for _ in range(20): product(64)
    except BaseException as e:
        failed.append(e)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert not failed, failed
import os
child = os.fork()
if child == 0:
    product(96)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(len(symbols))
`;

test("Python loads the library by its own manifest and multiplies on eight threads (C34)", { timeout, skip: noPython }, async () => {
  const path = join(folder, "main.py");
  await writeFile(path, python);
  const ended = await run(["python3", path, libraryPath], { secondsMax: 100 });
  assertEndedWell(ended);
  assert.ok(Number(ended.stdout) > 10);
});
