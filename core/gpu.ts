/** GPUs: which there are, and the devices that stand for them. */

import { RangeError, TypeError } from "./errors.ts";
import { load, native, variable } from "../ffi/library.ts";
import { statusError, type StatusName, statusName, UnsupportedError } from "../ffi/status.ts";
import { AnyDevice, type Device, finished } from "./device.ts";
import { handleOffset } from "./explaining.ts";
import { checkOptions, optionNames } from "./options.ts";
import { refuseAsync, scope } from "./scope.ts";
import { checkFunction, formatValue } from "./shape.ts";

/** What kind of GPU: `"software"` is a processor that plays one. */
export type GpuKind = "discrete" | "integrated" | "virtual" | "software" | "other";

const kinds: readonly GpuKind[] = ["discrete", "integrated", "virtual", "software", "other"];

/** A GPU as the system lists it. */
export interface GpuDescription {
  /** Its place in the list, for `vulkan({ index })`. */
  readonly index: number;
  /** Its name as the driver gives it. */
  readonly name: string;
  /** Its UUID, 32 hexadecimal digits. */
  readonly uuid: string;
  /** What kind it is. */
  readonly kind: GpuKind;
  /** Why it cannot be used; `null` where it can. */
  readonly unusable: string | null;
  /** Bytes of its own memory. */
  readonly memoryBytes: number;
  /** The most bytes that a tensor may have. */
  readonly tensorBytesMax: number;
  /** Bytes that the threads of a workgroup share. */
  readonly sharedBytes: number;
  /** The most threads of a workgroup. */
  readonly workgroupThreadsMax: number;
  /** Threads that run in step. */
  readonly subgroupSize: number;
}

/** What a GPU has done and holds, since it was opened. */
export interface GpuStatistics {
  /** Bytes of live tensors, rounded up to their size classes. */
  readonly bytes: number;
  /** Bytes that were asked of the driver. */
  readonly heldBytes: number;
  /** How often the driver was asked for memory. */
  readonly allocations: number;
  /** Shaders that were run. */
  readonly dispatches: number;
  /** Batches of work that were handed over. */
  readonly submissions: number;
  /** Waits of one shader for another. */
  readonly barriers: number;
  /** Shaders that were compiled for the device. */
  readonly pipelines: number;
  /** Copies to and from the device. */
  readonly copies: number;
  /** What the validation layer found wrong in this process. */
  readonly validationMessages: number;
}

/** A GPU, by Vulkan. Ops return when their work is recorded; `read`, `item` and `sync` wait for it. */
export interface VulkanDevice extends Device {
  /** What it is. */
  describe(): GpuDescription;
  /** What it has done and holds. */
  statistics(): GpuStatistics;
  /**
   * Runs `work` and answers how many seconds the device takes for what it asks of the device: from when everything before is done until all of this is.
   * Where a program asks more slowly than the device computes, waiting for the program counts too; so does what others ask of the device meanwhile. What
   * `work` makes is freed, but for tensors that `keep` lets out. `work` is synchronous: an async one does not compile. Measures lie side by side or in
   * each other; 256 at most may wait for their results. Throws an UnsupportedError where the device has no clock.
   *
   * ```ts
   * import { devices, matmul, ones, vulkan } from "@tilework/tilework";
   *
   * if (devices().some(({ kind }) => kind === "discrete")) {
   *   const gpu = await vulkan();
   *   using a = ones(gpu, [1024, 1024]);
   *   const seconds = await gpu.time(() => matmul(a, a));
   *   console.log(`${2 * 1024 ** 3 / seconds / 1e9} GFLOP/s`);
   * }
   * ```
   */
  time<T>(work: () => T extends PromiseLike<unknown> ? "time: the work must not be async" : T): Promise<number>;
  /** Gives the memory that it keeps for reuse back to the driver. */
  trim(): void;
}

/** Which GPU is meant. */
export interface VulkanOptions {
  /** Its place in the list of `devices()`. */
  index?: number;
  /** Its name or a part of it, its UUID, or its place as text. */
  name?: string;
}

const numbers = new Float64Array(9);

function text(index: number, which: number): string {
  const bytes = new Uint8Array(4096);
  return new TextDecoder().decode(bytes.subarray(0, native.tw_gpu_text(bytes, bytes.length, index, which)));
}

function describe(index: number): GpuDescription {
  const code = native.tw_gpu_describe(numbers, numbers.length, index);
  if (code !== 0) throw statusError("devices", statusName(code));
  const [kind, usable, memoryBytes, tensorBytesMax, sharedBytes, workgroupThreadsMax, , subgroupSize] = numbers;
  return {
    index,
    name: text(index, 0),
    uuid: text(index, 1),
    kind: kinds[kind!]!,
    unusable: usable === 1 ? null : text(index, 2),
    memoryBytes: memoryBytes!,
    tensorBytesMax: tensorBytesMax!,
    sharedBytes: sharedBytes!,
    workgroupThreadsMax: workgroupThreadsMax!,
    subgroupSize: subgroupSize!,
  };
}

/**
 * The GPUs that the system lists, usable or not. An empty list is normal: there may be no driver.
 *
 * ```ts
 * import { devices } from "@tilework/tilework";
 *
 * for (const { index, name, kind } of devices()) console.log(index, name, kind);
 * ```
 */
export function devices(): GpuDescription[] {
  load();
  return Array.from({ length: native.tw_gpu_count() }, (_, index) => describe(index));
}

class Vulkan extends AnyDevice implements VulkanDevice {
  readonly name: string;
  readonly isGpu = true;
  readonly #handle: number;
  readonly #description: GpuDescription;

  constructor(handle: number, description: GpuDescription) {
    super();
    this.#handle = handle;
    this.#description = description;
    this.name = `vulkan(${description.name})`;
  }

  get handle(): number {
    return this.#handle + handleOffset;
  }

  async sync(): Promise<void> {
    const ticket = native.tw_gpu_submit(this.#handle);
    if (ticket < 0) throw statusError("sync", statusName(-ticket));
    await finished("sync", () => native.tw_gpu_reached(this.#handle, ticket));
  }

  describe(): GpuDescription {
    return this.#description;
  }

  statistics(): GpuStatistics {
    const code = native.tw_gpu_statistics(numbers, numbers.length, this.#handle);
    if (code !== 0) throw statusError("statistics", statusName(code));
    const [bytes, heldBytes, allocations, dispatches, submissions, barriers, pipelines, copies, validationMessages] = numbers;
    return {
      bytes: bytes!,
      heldBytes: heldBytes!,
      allocations: allocations!,
      dispatches: dispatches!,
      submissions: submissions!,
      barriers: barriers!,
      pipelines: pipelines!,
      copies: copies!,
      validationMessages: validationMessages!,
    };
  }

  async time(work: () => unknown): Promise<number> {
    checkFunction("time", "work", work);
    const span = native.tw_gpu_span_begin(this.#handle);
    if (span < 0) throw this.#timeError(statusName(-span));
    try {
      scope(() => {
        refuseAsync(work(), "time: the work must not be async");
      });
      const code = native.tw_gpu_span_end(this.#handle, span);
      if (code !== 0) throw this.#timeError(statusName(code));
      await this.sync();
      const seconds = native.tw_gpu_span_seconds(this.#handle, span);
      if (seconds < 0) throw this.#timeError(statusName(-seconds));
      return seconds;
    } finally {
      native.tw_gpu_span_free(this.#handle, span);
    }
  }

  #timeError(status: StatusName): Error {
    if (status === "Unsupported") return new UnsupportedError(`time: ${this.name} has no clock`);
    if (status === "InvalidArgument") return new RangeError("time: 256 measures wait for their results already; await some first");
    return statusError("time", status);
  }

  trim(): void {
    const code = native.tw_gpu_trim(this.#handle);
    if (code !== 0) throw statusError("trim", statusName(code));
  }
}

const opened = new Map<number, Vulkan>();

const names = optionNames<VulkanOptions>({ index: true, name: true });

/** Why there is no GPU to open, in a sentence. */
function nothingFound(wanted: string): UnsupportedError {
  const list = devices();
  const loader = variable("TILEWORK_VULKAN_LIBRARY");
  const why = loader ? `${text(0, 3)}; TILEWORK_VULKAN_LIBRARY names ${JSON.stringify(loader)}` : text(0, 3);
  const there = list.length === 0
    ? `there is none: ${why}`
    : `there are ${list.map(({ index, name, kind }) => `${index}: ${name} (${kind})`).join(", ")}`;
  return new UnsupportedError(`vulkan: no GPU ${wanted}; ${there}`);
}

/** Which GPU was asked for, as the end of a sentence. */
function wish({ index, name }: VulkanOptions): string {
  if (index !== undefined) return `has the index ${index}`;
  if (name !== undefined) return `is called ${JSON.stringify(name)}`;
  const named = variable("TILEWORK_GPU");
  return named ? `is called ${JSON.stringify(named)}, which TILEWORK_GPU names` : "is chosen by itself, or named by TILEWORK_GPU";
}

/**
 * A GPU, by Vulkan 1.2. Without options it is the one that the variable `TILEWORK_GPU` names, else the best one: discrete, then integrated, then virtual;
 * a processor that plays a GPU is only taken by name or index. Throws an UnsupportedError that tells which there are.
 *
 * ```ts
 * import { devices, tensor, vulkan } from "@tilework/tilework";
 *
 * if (devices().some(({ kind }) => kind === "discrete")) {
 *   const gpu = await vulkan();
 *   using x = tensor(gpu, [2], [1, 2]);
 *   console.log(await x.read());
 * }
 * ```
 */
// deno-lint-ignore require-await -- a promise, so that a driver can be opened off the event loop later
export async function vulkan(options: VulkanOptions = {}): Promise<VulkanDevice> {
  checkOptions("vulkan", options, names);
  load();
  const { index, name } = options;
  if (index !== undefined && !(Number.isInteger(index) && index >= 0)) {
    throw new RangeError(`vulkan: index must be a whole number from 0 on, got ${formatValue(index)}`);
  }
  if (name !== undefined && typeof name !== "string") throw new TypeError(`vulkan: name must be a string, got ${formatValue(name)}`);
  const bytes = new TextEncoder().encode(name ?? "");
  if (name !== undefined && bytes.length === 0) throw new RangeError("vulkan: name must not be empty");
  const chosen = native.tw_gpu_choose(bytes, bytes.length, index ?? -1);
  if (chosen < 0) {
    throw nothingFound(wish(options));
  }
  const description = describe(chosen);
  if (description.unusable !== null) throw new UnsupportedError(`vulkan: ${description.name} cannot be used: ${description.unusable}`);
  const handle = native.tw_gpu_open(chosen);
  if (handle === 0) throw statusError("vulkan", statusName(native.tw_last_status()));
  let device = opened.get(handle);
  if (device === undefined) opened.set(handle, device = new Vulkan(handle, description));
  return device;
}
