/** The flags of the demo, and the plan of a run that its checkpoints carry. */
import process from "node:process";
import { parseArgs } from "node:util";
import type { Threads } from "@tilework/tilework";
import { deviceFlag, deviceUsage } from "./device.ts";
import { type Config, configs, dense } from "./model.ts";

const usage = `Trains a byte-level language model and lets it write.

  deno task demo [FLAGS]        bun run demo [FLAGS]

  --seconds S        train for about S seconds (60); a short calibration fixes the number of steps
  --steps N          train for exactly N steps
  --size base|tiny   the model (base)
  --dense            a plain feed-forward of as many multiply-adds in place of a mixture of experts
${deviceUsage}
  --threads N|auto   workers (auto); the result is the same with any number
  --seed N           of the parameters and the order of the data (42)
  --text FILE        learn this text instead of Moby-Dick
  --out DIR          where checkpoint.safetensors, report.html and loss.svg go (out)
  --resume           go on from DIR/checkpoint.safetensors; model, seed, steps and text are taken from there
  --stop-at STEP     save a checkpoint at that step and stop, as Ctrl-C does
  --report           show the report while training, at an address of this machine alone
  --report-port N    the same on this port; otherwise a free one is taken
  --json             print one JSON object as the last line

Ctrl-C saves a checkpoint and ends with exit code 130; a second one ends at once.`;

/** Model sizes by name. */
export type SizeName = keyof typeof configs;

/** The flags. */
export interface Options {
  readonly seconds?: number | undefined;
  readonly steps?: number | undefined;
  readonly size?: SizeName | undefined;
  readonly dense?: boolean | undefined;
  readonly device: string;
  readonly threads: Threads;
  readonly seed?: number | undefined;
  readonly text?: string | undefined;
  readonly out: string;
  readonly resume: boolean;
  readonly stopAt: number;
  /** The port of the live report, 0 for a free one; undefined where none is asked for. */
  readonly reportPort?: number | undefined;
  readonly json: boolean;
}

/** What makes a run the run that it is: with the same plan it comes to the same bits, however often it is interrupted. */
export interface Plan {
  readonly size: SizeName;
  /** Whether the model has no experts. */
  readonly dense: boolean;
  readonly seed: number;
  readonly steps: number;
  /** The file, where it is not Moby-Dick. */
  readonly text: string | undefined;
  readonly textHash: string;
}

/** Reads the flags; a mistake ends the program with a sentence. */
export function parseOptions(args: string[]): Options {
  const one = { type: "string" } as const, flag = { type: "boolean" } as const;
  try {
    const { values } = parseArgs({
      args,
      options: {
        ...{
          seconds: one,
          steps: one,
          size: one,
          device: one,
          threads: one,
          seed: one,
          text: one,
          out: one,
          "stop-at": one,
          "report-port": one,
        },
        ...{ dense: flag, resume: flag, report: flag, json: flag, help: { ...flag, short: "h" } },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (values.seconds !== undefined && values.steps !== undefined) throw new Error("Give --seconds or --steps, not both.");
    if (values.size !== undefined && !isSize(values.size)) {
      throw new Error(`--size must be ${Object.keys(configs).join(" or ")}, not ${values.size}.`);
    }
    return {
      seconds: number("seconds", values.seconds, 0.1, 1e7, false),
      steps: number("steps", values.steps, 1, 1e9),
      size: values.size,
      dense: values.dense,
      device: deviceFlag(values.device),
      threads: threadsFlag(values.threads),
      seed: number("seed", values.seed, 0, 2 ** 32 - 1),
      text: values.text,
      out: values.out ?? "out",
      resume: values.resume ?? false,
      stopAt: number("stop-at", values["stop-at"], 0, 1e9) ?? Infinity,
      reportPort: number("report-port", values["report-port"], 1, 65535) ?? (values.report ? 0 : undefined),
      json: values.json ?? false,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n--help lists the flags.`);
    process.exit(2);
  }
}

/** A plan as a checkpoint's metadata. */
export function planToMetadata(plan: Plan): Record<string, string> {
  return {
    size: plan.size,
    model: plan.dense ? "dense" : "experts",
    seed: `${plan.seed}`,
    steps: `${plan.steps}`,
    text: plan.text ?? "",
    text_hash: plan.textHash,
  };
}

/** The plan in a checkpoint's metadata; flags that say otherwise are an error. */
export function planFromMetadata(
  metadata: Record<string, string>,
  options: Pick<Options, "size" | "dense" | "seed" | "steps" | "text"> = {},
): Plan {
  const { size = "", model, seed, steps, text, text_hash: textHash = "" } = metadata;
  if (!isSize(size) || !Number.isInteger(Number(seed)) || !(Number(steps) >= 1) || model !== "dense" && model !== "experts") {
    throw new Error("The checkpoint is none of this demo's.");
  }
  const plan = { size, dense: model === "dense", seed: Number(seed), steps: Number(steps), text: text || undefined, textHash };
  for (const name of ["size", "dense", "seed", "steps"] as const) {
    if (options[name] !== undefined && options[name] !== plan[name]) {
      throw new Error(
        `The checkpoint's run has ${name} ${plan[name]}, not ${options[name]}: leave --${name} out, or start anew without --resume.`,
      );
    }
  }
  return { ...plan, text: options.text ?? plan.text };
}

/** The model that a plan trains. */
export function configOf({ size, dense: isDense }: Pick<Plan, "size" | "dense">): Config {
  return isDense ? dense(configs[size]) : configs[size];
}

function isSize(name: string): name is SizeName {
  return Object.hasOwn(configs, name);
}

/** The value of --threads. */
export function threadsFlag(value: string | undefined): Threads {
  return value === "auto" ? "auto" : number("threads", value, 1, 256) ?? "auto";
}

/** The value of a flag as a number in a range; undefined where the flag is not there, an Error where it is wrong. */
export function number(name: string, value: string | undefined, min: number, max: number, whole: boolean = true): number | undefined {
  if (value === undefined) return undefined;
  const found = value.trim() === "" ? NaN : Number(value);
  if (!(found >= min && found <= max) || whole && !Number.isInteger(found)) {
    throw new Error(`--${name} must be a ${whole ? "whole " : ""}number from ${min} to ${max}, not ${value}.`);
  }
  return found;
}
