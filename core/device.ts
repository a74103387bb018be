/** Devices: where tensors live and what computes on them. */

import { load, native } from "../ffi/library.ts";
import { statusError, statusName } from "../ffi/status.ts";
import { checkSize, formatValue } from "./shape.ts";

/** An instruction set of the CPU kernels. All give the same bits. */
export type Isa = "portable" | "avx2" | "avx512" | "neon";

/** How many workers a call may use: `"serial"` one, `"auto"` as many as its work pays for, a number exactly that many (no more than there are cores). */
export type Threads = "serial" | "auto" | number;

/** Knobs of a CPU device. Each falls back to the environment variable named beside it, then to a measured default. None of them changes a result. */
export interface Tuning {
  /** Processors to count on, instead of those that were detected (`TILEWORK_CORES`). */
  cores?: number;
  /** Multiply-adds below which a product is serial; 0 turns the gate off (`TILEWORK_PARALLEL_THRESHOLD`, 589 824). */
  parallelThreshold?: number;
  /** Multiply-adds that pay for one more worker (`TILEWORK_PAR_MNK_PER_WORKER`, 2 000 000). */
  parMnkPerWorker?: number;
  /** Chunks per worker on the job cursor (`TILEWORK_PARALLEL_OVERSAMPLE`, 8). */
  parallelOversample?: number;
  /** Chunks per worker where each packs its own block (`TILEWORK_PACKED_OVERSAMPLE`, 8). */
  packedOversample?: number;
  /** Bytes below which a bandwidth-bound call is serial (`TILEWORK_GEMV_PARALLEL_BYTES`, the private cache of a core). */
  gemvParallelBytes?: number;
}

/** Settings of `cpuDevice`. */
export interface CpuOptions {
  /** Workers (`TILEWORK_THREADS`, `"auto"`). */
  threads?: Threads;
  /** Pins an instruction set, or fails where the machine lacks it (`TILEWORK_ISA`, the best one). */
  isa?: Isa;
  /** Knobs. */
  tuning?: Tuning;
}

/** A device. Everything made from its tensors lives on it; mixing devices is an error. */
export interface Device {
  /** What kind of device, and which. */
  readonly name: string;
  /** The native handle. @internal */
  readonly handle: number;
  /** Waits until everything that was asked of the device is done. */
  sync(): Promise<void>;
}

/** What a CPU device resolved its settings to. */
export interface CpuDescription {
  /** Workers asked for. */
  readonly threads: Threads;
  /** The instruction set of its kernels. */
  readonly isa: Isa;
  /** Processors that the process may use. */
  readonly cores: number;
  /** Every knob's value. */
  readonly tuning: Required<Tuning>;
  /** Cache sizes in bytes; 0 where there is none. */
  readonly caches: { readonly l1: number; readonly l2: number; readonly l3: number };
}

/** A CPU device: the same pool of threads under every one of them. */
export interface CpuDevice extends Device {
  /** What its settings came to. */
  describe(): CpuDescription;
}

const isas: readonly Isa[] = ["portable", "avx2", "avx512", "neon"];
/** In the order of the native settings; range of each. */
const settings = [
  ["threads", 0, 256],
  ["isa", 0, 3],
  ["cores", 1, 256],
  ["parallelThreshold", 0, Number.MAX_SAFE_INTEGER],
  ["parMnkPerWorker", 1, Number.MAX_SAFE_INTEGER],
  ["parallelOversample", 1, 1024],
  ["packedOversample", 1, 1024],
  ["gemvParallelBytes", 0, Number.MAX_SAFE_INTEGER],
] as const;

function variableOf(name: string): string {
  return `TILEWORK_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;
}

class Cpu implements CpuDevice {
  #handle = 0;
  readonly #given: Float64Array<ArrayBuffer>;
  readonly name: string;

  constructor(given: Float64Array<ArrayBuffer>, name: string) {
    this.#given = given;
    this.name = name;
  }

  get handle(): number {
    return this.#handle || (this.#handle = this.#make());
  }

  #make(): number {
    load();
    const handle = native.tw_device_new(this.#given, this.#given.length);
    if (handle !== 0) return handle;
    const status = statusName(native.tw_last_status());
    const detail = new Float64Array(2);
    native.tw_error_detail(detail);
    const [name, low, high] = settings[detail[0]!] ?? settings[0];
    if (status === "Unsupported") {
      throw statusErrorOf(`isa "${isas[detail[1]!]}" cannot run on this machine`);
    }
    if (status !== "InvalidArgument") throw statusError("cpuDevice", status);
    const allowed = name === "isa"
      ? `one of ${isas.join(", ")}`
      : name === "threads"
      ? "auto, serial or a whole number from 1 to 256"
      : `a whole number from ${low} to ${high === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : high}`;
    const got = Number.isNaN(detail[1]) ? "something else" : `${detail[1]}`;
    throw new RangeError(`cpuDevice: ${variableOf(name)} must be ${allowed}, got ${got}`);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  describe(): CpuDescription {
    const out = new Float64Array(11);
    const code = native ? native.tw_device_describe(out, this.handle) : load().tw_device_describe(out, this.handle);
    if (code !== 0) throw statusError("describe", statusName(code));
    const v = Array.from(out);
    return {
      threads: v[0] === 0 ? "auto" : v[0] === 1 ? "serial" : v[0]!,
      isa: isas[v[1]!]!,
      cores: v[2]!,
      tuning: {
        cores: v[2]!,
        parallelThreshold: v[3]!,
        parMnkPerWorker: v[4]!,
        parallelOversample: v[5]!,
        packedOversample: v[6]!,
        gemvParallelBytes: v[7]!,
      },
      caches: { l1: v[8]!, l2: v[9]!, l3: v[10]! },
    };
  }
}

function statusErrorOf(text: string): Error {
  const error = statusError("cpuDevice", "Unsupported");
  error.message = `cpuDevice: ${text}`;
  return error;
}

/** The CPU with default settings. */
export const cpu: CpuDevice = new Cpu(new Float64Array(settings.length).fill(-1), "cpu");

/**
 * A CPU device with its own settings, kept for its life; all CPU devices share one pool of threads. Throws a RangeError that names a setting out of
 * range, and an UnsupportedError where the machine lacks the instruction set.
 *
 * ```ts
 * import { cpuDevice, tensor } from "@tilework/tilework";
 *
 * const one = cpuDevice({ threads: "serial" });
 * using x = tensor(one, [2], [1, 2]);
 * console.log(x.device.name); // cpu(threads: serial)
 * ```
 */
export function cpuDevice(options: CpuOptions = {}): CpuDevice {
  const given = new Float64Array(settings.length).fill(-1);
  const said: string[] = [];
  const { threads, isa, tuning = {} } = options;
  if (threads !== undefined) {
    given[0] = threads === "auto" ? 0 : threads === "serial" ? 1 : checkSize("cpuDevice", "threads", threads, 1, 256);
    said.push(`threads: ${threads}`);
  }
  if (isa !== undefined) {
    const code = isas.indexOf(isa);
    if (code < 0) throw new RangeError(`cpuDevice: isa must be one of ${isas.join(", ")}, got ${formatValue(isa)}`);
    given[1] = code;
    said.push(`isa: ${isa}`);
  }
  for (const [name, value] of Object.entries(tuning)) {
    const at = settings.findIndex((s, i) => i >= 2 && s[0] === name);
    if (at < 0) throw new RangeError(`cpuDevice: tuning has no knob ${name}; there are ${settings.slice(2).map((s) => s[0]).join(", ")}`);
    if (value === undefined) continue;
    given[at] = checkSize("cpuDevice", name, value, settings[at]![1], settings[at]![2]);
    said.push(`${name}: ${value}`);
  }
  const device = new Cpu(given, said.length ? `cpu(${said.join(", ")})` : "cpu");
  void device.handle; // an impossible setting is reported here, not at the first op
  return device;
}
