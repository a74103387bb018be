/**
 * Lets a model that `train.ts` has trained write, byte by byte, as fast as it comes.
 *
 *     deno run -A examples/generate.ts        bun examples/generate.ts        --help lists the flags
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { load, memory, random, readMetadata } from "@tilework/tilework";
import { deviceFlag, deviceUsage, openDevice } from "./device.ts";
import { init } from "./model.ts";
import { configOf, number, planFromMetadata, threadsFlag } from "./options.ts";
import { writing } from "./sample.ts";

const usage = `Lets a model that the demo has trained write.

  deno run -A examples/generate.ts [FLAGS]        bun examples/generate.ts [FLAGS]

  --checkpoint FILE  the model (out/checkpoint.safetensors)
  --prompt TEXT      what the text begins with ("Call me ")
  --bytes N          how many bytes to write after it (400)
  --temperature T    0 takes the likeliest byte, 1 draws as the model foresees (0.8)
  --top-p P          draws from the likeliest bytes that hold this part of the probability (0.95)
  --seed N           of the draws (42)
${deviceUsage}
  --threads N|auto   workers (auto); the text is the same with any number
  --no-cache         compute all of the text so far for every byte; the text is the same
  --json             print one JSON object as the last line`;

/** Reads the flags; a mistake ends the program with a sentence. */
function parse(args: string[]) {
  const one = { type: "string" } as const, flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ checkpoint: one, prompt: one, bytes: one, temperature: one, "top-p": one, seed: one, device: one, threads: one },
      ...{ "no-cache": flag, json: flag, help: { ...flag, short: "h" } },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  if (values.prompt === "") throw new Error("--prompt must have at least one byte.");
  return {
    checkpoint: values.checkpoint ?? "out/checkpoint.safetensors",
    prompt: values.prompt ?? "Call me ",
    bytes: number("bytes", values.bytes, 0, 1e9) ?? 400,
    temperature: number("temperature", values.temperature, 0, 100, false) ?? 0.8,
    topP: number("top-p", values["top-p"], 0, 1, false) ?? 0.95,
    seed: number("seed", values.seed, 0, 2 ** 32 - 1) ?? 42,
    device: deviceFlag(values.device),
    threads: threadsFlag(values.threads),
    cached: !values["no-cache"],
    json: values.json ?? false,
  };
}

async function metadata(checkpoint: string): Promise<Record<string, string>> {
  try {
    return await readMetadata(checkpoint);
  } catch (error) {
    const cause = (error as Error).cause as { code?: string } | undefined; // the system's error, where it is one
    if (cause?.code !== "ENOENT") throw error;
    throw new Error(`There is no ${checkpoint}: train a model first, with deno task demo, or name another file with --checkpoint.`);
  }
}

async function generate(options: ReturnType<typeof parse>): Promise<void> {
  const { device, facts } = await openDevice(options.device, options.threads);
  const plan = planFromMetadata(await metadata(options.checkpoint)), c = configOf(plan);
  using rng = random(device, options.seed), first = random(device, 0);
  const params = init(first, c); // overwritten
  await load(options.checkpoint, { params }, { ignoreExtra: true });

  let text = "", began = NaN;
  for await (const piece of writing(params, options.prompt, options.bytes, rng, c, options)) {
    if (text === "") began = performance.now(); // the prompt has been written, and nothing after it
    text += piece;
    process.stdout.write(piece);
  }
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write("\n");
  if (!options.json) return;
  const runtime = ["bun", "deno", "node"].find((name) => process.versions[name] !== undefined) ?? "unknown";
  console.log(JSON.stringify({
    ...{
      runtime,
      runtime_version: process.versions[runtime],
      device: facts.device,
      isa: facts.isa,
      size: plan.size,
      model: plan.dense ? "dense" : "experts",
    },
    ...{ seed: options.seed, temperature: options.temperature, top_p: options.topP, cached: options.cached },
    ...{ bytes: options.bytes, tokens_per_second: options.bytes > 0 ? Math.round(options.bytes / seconds) : null },
    ...{ peak_memory_bytes: memory().peakBytes, text },
  }));
}

// A reader that has seen enough, such as head, ends the program.
process.stdout.on("error", (error: { code?: string }) => process.exit(error.code === "EPIPE" ? 0 : 1));
try {
  await generate(parse(process.argv.slice(2)));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n--help lists the flags.`);
  process.exitCode = 2;
}
