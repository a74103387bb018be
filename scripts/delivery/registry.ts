// A registry of npm packages on this machine alone, which holds what was published to it.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { deliveryTool } from "./tools.ts";
import { run } from "../process.ts";

/** A running registry. */
export interface Registry {
  readonly address: string;
  /** What package managers read to find it, whatever the settings of this machine. */
  readonly env: Record<string, string>;
  publish(folderOrTarball: string, tag?: string): Promise<void>;
  stop(): void;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts Verdaccio with its files in `folder`. */
export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort(), address = `http://127.0.0.1:${port}/`;
  const config = join(folder, "config.yaml"), userConfig = join(folder, "npmrc");
  // Deno's bundler is esbuild, which it takes from the registry at first use.
  const upstream = (await run(["npm", "config", "get", "registry"], { output: "keep" })).text.trim();
  writeFileSync(
    config,
    `storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
uplinks: { upstream: { url: "${upstream}" } }
packages: { "@tilework/*": { access: $all, publish: $anonymous }, "@esbuild/*": { access: $all, proxy: upstream } }
log: { type: stdout, format: pretty, level: warn }
listen: 127.0.0.1:${port}
`,
  );
  // npm publishes nothing without a token; anybody may publish here.
  writeFileSync(userConfig, `registry=${address}\n//127.0.0.1:${port}/:_authToken=none\n`);
  const env: Record<string, string> = {
    NPM_CONFIG_REGISTRY: address,
    npm_config_registry: address,
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
  };
  const [node, ...args] = await deliveryTool("verdaccio");
  const child = spawn(node!, [...args, "--config", config], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said += chunk);
  const answers = () => fetch(`${address}-/ping`).then(({ ok, body }) => body?.cancel().then(() => ok), () => false);
  const end = performance.now() + 30_000;
  while (!await answers()) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`The registry did not start.\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    address,
    env,
    async publish(path, tag = "latest") {
      const command = [
        "npm",
        "publish",
        "--silent",
        "--ignore-scripts",
        "--provenance=false",
        "--fetch-retries=0",
        "--tag",
        tag,
        "--userconfig",
        userConfig,
        path,
      ];
      const { code, text } = await run(command, { cwd: folder, output: "keep", env, secondsMax: 60 });
      if (code !== 0) throw new Error(`${text}\n\`npm publish ${path}\` failed.\n${said}`);
    },
    stop: () => void child.kill(),
  };
}
