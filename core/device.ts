/** Devices: where tensors live and what computes on them. */

import { RangeError, TypeError } from "./errors.ts";
import { collect, errorDetail, load, native } from "../ffi/library.ts";
import { OutOfMemoryError, statusError, statusName, UnsupportedError } from "../ffi/status.ts";
import { manifest } from "../ffi/symbols.gen.ts";
import { handleOffset } from "./explaining.ts";
import { checkOptions, OptionNames, optionNames } from "./options.ts";
import { markOrigin } from "./package_copy.ts";
import { formatValue } from "./shape.ts";
import { hadTurn, isTurnDue, turn } from "./turn.ts";

/** An instruction set of the CPU kernels. All give the same bits. */
export type Isa = "portable" | "avx2" | "avx512" | "neon";

/** How many workers a call may use: `"serial"` one, `"auto"` as many as its work pays for, a number exactly that many (no more than there are cores). */
export type Threads = "serial" | "auto" | number;

/**
 * Knobs of a CPU device. Each falls back to its environment variable (`parallelThreshold` is `TILEWORK_PARALLEL_THRESHOLD` there), then to a measured
 * default. None of them changes a result. `docs/tuning.md` has their ranges, defaults and measurements.
 */
export interface Tuning {
  /** Physical cores to count on, instead of those that the process may use. The variable is read once for the process. */
  cores?: number;
  /** How often the cores are halved to give tiers, the widths that automatic calls stand on. The variable is read once for the process. */
  poolClasses?: number;
  /** Multiply-adds below which a product is serial, whatever was asked; 0 turns the gate off. */
  parallelThreshold?: number;
  /** Multiply-adds that pay for one more worker. */
  parMnkPerWorker?: number;
  /** Multiply-adds from which a product leaves the largest tier for all cores; 0 is always. */
  fullWidthMnk?: number;
  /** Chunks per worker on the job cursor. */
  parallelOversample?: number;
  /** Chunks per worker where each packs its own block. */
  packedOversample?: number;
  /** Bytes below which a bandwidth-bound call is serial; 0 is never. */
  gemvParallelBytes?: number;
  /** The factor of bytes by which a bandwidth-bound call climbs one tier. */
  gemvTierStep?: number;
  /** One width for every parallel bandwidth-bound call, in place of the tiers; 0 turns it off. */
  gemvThreadCap?: number;
  /** Workers from which the left matrix is packed once for all of them, whatever the size; 0 is always. */
  sharedAWorkers?: number;
  /** Multiply-adds from which it is packed once for all of them, however few they are; 0 is always. */
  sharedAMnk?: number;
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
  /** Whether it is a GPU, with memory of its own. */
  readonly isGpu: boolean;
  /** Waits until everything that was asked of the device is done, and gives the event loop its turn if it had none for some milliseconds. */
  sync(): Promise<void>;
}

/** What a CPU device resolved its settings to. */
export interface CpuDescription {
  /** Workers asked for. */
  readonly threads: Threads;
  /** The instruction set of its kernels. */
  readonly isa: Isa;
  /** Physical cores that the process may use. */
  readonly cores: number;
  /** The widths below `cores` that automatic calls stand on, the largest first. */
  readonly tiers: readonly number[];
  /** Every knob's value. */
  readonly tuning: Required<Tuning>;
  /** Cache sizes in bytes; 0 where there is none. */
  readonly caches: { readonly l1: number; readonly l2: number; readonly l3: number };
  /** The machine as this process may use it; the same for every device. */
  readonly machine: MachineDescription;
}

/** What a process may use of a machine. */
export interface MachineDescription {
  /** Logical processors. */
  readonly processors: number;
  /** Processors' worth of time that a container grants; `null` for no limit. */
  readonly quota: number | null;
  /** Kinds of cores, the fastest first. */
  readonly classes: readonly CoreClass[];
}

/** Cores that are alike: all of most machines, or the performance cores, or the efficiency cores. */
export interface CoreClass {
  /** How many. */
  readonly cores: number;
  /** Speed of one: 1024 for the fastest kind. */
  readonly capacity: number;
  /** Cache sizes in bytes; 0 where there is none. */
  readonly caches: { readonly l1: number; readonly l2: number; readonly l3: number };
}

/** A CPU device: the same pool of threads under every one of them. */
export interface CpuDevice extends Device {
  /** What its settings came to. */
  describe(): CpuDescription;
}

/** What a device can be told, in the order in which the library takes it. */
const settings = manifest.settings;
type Setting = (typeof settings)[number];
type KnobName = Exclude<Setting["name"], "threads" | "isa">;
const isas: readonly Isa[] = settings[1].words;
const knobNames: readonly (keyof Tuning)[] = settings.slice(2).map(({ name }) => name as KnobName); // the first two have options of their own
/** Numbers of a description behind the settings: three caches, at most three tiers, processors, quota, and at most four kinds of cores of five numbers. */
const tiersMax = 3, classesMax = 4, classNumbers = 5;
const describedBehind = 3 + tiersMax + 2 + classesMax * classNumbers;

/** What a setting may be, in words. */
function allowed({ words, range }: Setting): string {
  if (range === null) return `one of ${words.join(", ")}`;
  const [low, high] = range;
  return `${words.length ? `${words.join(", ")} or ` : ""}a whole number from ${low} to ${
    high === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : high
  }`;
}

/** The number that stands for an option's value. */
function encode(setting: Setting, value: unknown): number {
  const words: readonly unknown[] = setting.words;
  const { name, range } = setting;
  if (words.includes(value)) return words.indexOf(value);
  if (range !== null && Number.isSafeInteger(value) && (value as number) >= range[0] && (value as number) <= range[1]) {
    return (value as number) + 0; // + 0 turns -0 into 0
  }
  const text = `cpuDevice: ${name} must be ${allowed(setting)}, got ${formatValue(value)}`;
  throw typeof value === "number" || range === null ? new RangeError(text) : new TypeError(text);
}

/** What the environment says of a setting, as the library sees it: TypeScript may not be allowed to look. */
function variableText(position: number): string {
  const bytes = new Uint8Array(64);
  const length = native.tw_device_variable(bytes, bytes.length, position);
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(0, length)) + (length === bytes.length ? "…" : ""));
}

/** Gives the library's devices back that no object stands for any more: tensors hold theirs. */
const safetyNet = new FinalizationRegistry((handle: number) => void native.tw_device_free(handle));

/** What every device is an instance of: an object that only looks like one is none. @internal */
export abstract class AnyDevice implements Device {
  abstract readonly name: string;
  abstract readonly handle: number;
  abstract readonly isGpu: boolean;
  abstract sync(): Promise<void>;
}

markOrigin(AnyDevice, "device");

class Cpu extends AnyDevice implements CpuDevice {
  #handle = 0;
  readonly #given: Float64Array<ArrayBuffer>;
  readonly name: string;
  readonly isGpu = false;

  constructor(given: Float64Array<ArrayBuffer>, name: string) {
    super();
    this.#given = given;
    this.name = name;
  }

  get handle(): number {
    return (this.#handle || (this.#handle = this.#make())) + handleOffset;
  }

  #make(): number {
    load();
    const handle = native.tw_device_new(this.#given, this.#given.length);
    if (handle !== 0) {
      safetyNet.register(this, handle);
      return handle;
    }
    const status = statusName(native.tw_last_status());
    const [place, value] = errorDetail();
    if (status === "Unsupported") {
      throw new UnsupportedError(`cpuDevice: isa "${isas[value]}" cannot run on this machine`);
    }
    if (status === "OutOfMemory" && place > 0) {
      collect();
      throw new OutOfMemoryError(
        `cpuDevice: ${place} devices of different settings are there already; what nobody holds is freed between turns of the event loop`,
      );
    }
    const setting = settings[place];
    if (status !== "InvalidArgument" || setting === undefined) throw statusError("cpuDevice", status);
    throw new RangeError(`cpuDevice: ${setting.variable} must be ${allowed(setting)}, got ${variableText(place)}`);
  }

  sync(): Promise<void> {
    return isTurnDue() ? turn() : Promise.resolve();
  }

  describe(): CpuDescription {
    const out = new Float64Array(settings.length + describedBehind);
    const handle = this.handle; // made at first use, which loads the library
    const code = native.tw_device_describe(out, out.length, handle);
    if (code !== 0) throw statusError("describe", statusName(code));
    const [threads, isa, ...knobs] = out.subarray(0, settings.length);
    const [l1, l2, l3, ...rest] = out.subarray(settings.length);
    const widths = rest.splice(0, tiersMax);
    const [processors, quota] = rest.splice(0, 2);
    const tuning: Required<Tuning> = Object.fromEntries(knobNames.map((name, i) => [name, knobs[i]])) as Record<KnobName, number>;
    return {
      threads: threads === 0 ? "auto" : threads === 1 ? "serial" : threads!,
      isa: isas[isa!]!,
      cores: tuning.cores,
      tiers: widths.filter((width) => width > 0),
      tuning,
      caches: { l1: l1!, l2: l2!, l3: l3! },
      machine: { processors: processors!, quota: quota! < 0 ? null : quota!, classes: classesOf(rest) },
    };
  }
}

/**
 * Looks whether a GPU's work is done until it is: `look` answers 1 then, 0 before, the negative of a status where it fails. The event loop runs between two
 * looks: at once for the first few, then after ever longer times, up to 4 ms; and where the work is done already, if a turn is due. @internal
 */
export async function finished(op: string, look: () => number): Promise<void> {
  for (let looks = 0;; looks++) {
    const state = look();
    if (state < 0) throw statusError(op, statusName(-state));
    if (state > 0) return isTurnDue() ? turn() : undefined;
    await new Promise((resolve) => setTimeout(resolve, looks < 4 ? 0 : Math.min(looks / 4, 4)));
    hadTurn();
  }
}

/** The kinds of cores behind rows of numbers; a row without cores is none. */
function classesOf(numbers: readonly number[]): CoreClass[] {
  const classes: CoreClass[] = [];
  for (let at = 0; at < numbers.length; at += classNumbers) {
    const [cores, capacity, l1, l2, l3] = numbers.slice(at, at + classNumbers);
    if (cores! > 0) classes.push({ cores: cores!, capacity: capacity!, caches: { l1: l1!, l2: l2!, l3: l3! } });
  }
  return classes;
}

/** The CPU with default settings. */
export const cpu: CpuDevice = new Cpu(new Float64Array(settings.length).fill(-1), "cpu");

const names = optionNames<CpuOptions>({ threads: true, isa: true, tuning: true });
const tuningNames = new OptionNames(knobNames);
/** A knob that stands beside `tuning` instead of inside it. */
const cpuHints = Object.fromEntries(knobNames.map((name) => [name, `did you mean tuning.${name}?`]));

/**
 * A CPU device with its own settings, kept for its life; all CPU devices share one pool of threads. It lives as long as somebody holds it or one of its
 * tensors. Throws a RangeError that names a setting out of range, an UnsupportedError if the machine lacks the instruction set, and an OutOfMemoryError for
 * the 4033rd device of different settings at once.
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
  checkOptions("cpuDevice", options, names, "", cpuHints);
  const given = new Float64Array(settings.length).fill(-1);
  const said: string[] = [];
  const { threads, isa, tuning = {} } = options;
  checkOptions("cpuDevice", tuning, tuningNames, "tuning");
  const asked: Partial<Record<Setting["name"], unknown>> = { threads, isa, ...tuning };
  settings.forEach((setting, i) => {
    const value = asked[setting.name];
    if (value === undefined) return;
    given[i] = encode(setting, value);
    said.push(`${setting.name}: ${value}`);
  });
  const device = new Cpu(given, said.length ? `cpu(${said.join(", ")})` : "cpu");
  void device.handle; // an impossible setting is reported here, not at the first op
  return device;
}
