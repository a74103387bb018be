/** The devices that the examples run on. */
import process from "node:process";
import { cpuDevice, type Device, devices, type Threads, vulkan } from "@tilework/tilework";

/** What the flag says, for the texts of --help. */
export const deviceUsage = `  --device D         cpu (default), vulkan for the best GPU, or vulkan:NAME for one of that name or number`;

/** Checks the value of --device. */
export function deviceFlag(value: string | undefined): string {
  if (value === undefined || value === "cpu" || value === "vulkan" || value.startsWith("vulkan:") && value.length > 7) {
    return value ?? "cpu";
  }
  throw new Error(`--device must be cpu, vulkan or vulkan:NAME, not ${value}.`);
}

/** A device, and what it is in words. */
export interface Opened {
  readonly device: Device;
  /** What the results do not depend on. */
  readonly facts: { readonly device: string; readonly isa: string | null; readonly threads: number | null };
  readonly text: string;
}

/** The device that --device and --threads ask for. */
export async function openDevice(flag: string, threads: Threads): Promise<Opened> {
  if (flag !== "cpu") {
    const name = flag.slice("vulkan:".length);
    // Where only a processor plays a GPU, it has to be asked for by name; a flag that says vulkan asks for what there is.
    const list = devices().filter(({ unusable }) => unusable === null);
    const only = list.length === 1 && process.env.TILEWORK_GPU === undefined ? { index: list[0]!.index } : {};
    const device = await vulkan(name ? { name } : only);
    return { device, facts: { device: device.name, isa: null, threads: null }, text: device.name };
  }
  const device = cpuDevice({ threads });
  const { threads: asked, cores, isa } = device.describe();
  const workers = asked === "auto" ? cores : asked === "serial" ? 1 : asked;
  return {
    device,
    facts: { device: device.name, isa, threads: workers },
    text: `${device.name}, ${isa}, ${workers} ${workers === 1 ? "worker" : "workers"}`,
  };
}
