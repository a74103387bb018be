// The documentation as a site: whole, readable on a phone and on a wide screen, and its programs run.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findRuntime } from "../scripts/runtimes.ts";
import { writeSite } from "../scripts/site.ts";
import { findBrowser, withPage } from "./browser.ts";
import { assertEndedWell, run } from "./child.ts";

const root = new URL("..", import.meta.url);
const folder = await mkdtemp(join(tmpdir(), "tilework-site-"));
after(() => rm(folder, { recursive: true, force: true }));
before(() => writeSite(folder), { timeout: 110_000 });

/** All files of the site, by their addresses. */
async function addresses(): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
    join(parentPath, name).slice(folder.length + 1).replaceAll("\\", "/")
  );
}

const own = (address: string) => address.endsWith(".html") && !address.startsWith("api/");
const decoded = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&#x27;", "'").replaceAll("&#x2F;", "/").replaceAll("&amp;", "&");

test("every link and every anchor of the site leads somewhere, and nothing comes from the network", { timeout: 110_000 }, async () => {
  const all = await addresses(), there = new Set(all), ids = new Map<string, Set<string>>(), lost: string[] = [];
  const pages = all.filter((address) => address.endsWith(".html"));
  const html = new Map(await Promise.all(pages.map(async (address) => [address, await readFile(join(folder, address), "utf8")] as const)));
  for (const [address, text] of html) ids.set(address, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => decoded(id!))));
  let links = 0;
  for (const [address, text] of html) {
    if (decoded(text).includes(fileURLToPath(root))) lost.push(`${address} names a folder of this machine`);
    for (const [, name, value] of text.matchAll(/\s(href|src)="([^"]*)"/g)) {
      const target = decoded(value!), [path, anchor] = target.split("#");
      links++;
      if (/^https?:/.test(target)) {
        if (name === "src" || own(address)) lost.push(`${address}: ${target} is on the network`);
        continue;
      }
      if (/^(data:|javascript:)/.test(target)) continue;
      let file = path === "" ? address : posix.join(posix.dirname(address), decodeURIComponent(path!));
      if (file.endsWith("/") || file === ".") file = posix.join(file, "index.html");
      if (!there.has(file)) lost.push(`${address}: there is no ${target}`);
      else if (anchor && !ids.get(file)?.has(decodeURIComponent(anchor))) lost.push(`${address}: there is no anchor ${target}`);
    }
  }
  assert.ok(links > 2000, `only ${links} links were found`);
  assert.deepEqual(lost, []);
});

test("pages of the site have no wider content than a phone's screen, and say no errors", { timeout: 110_000 }, async (t) => {
  const browser = await findBrowser();
  if (browser === undefined) return t.skip("no Chromium");
  const pages = (await addresses()).filter((address) =>
    own(address) || /^api\/(index|all_symbols|~\/(matmul|attention|Tensor|adamW))\.html$/.test(address)
  );
  assert.ok(pages.length >= 22, `only ${pages.length} pages were found`);
  await withPage(browser, async (page) => {
    for (const address of pages) {
      for (const width of [360, 1440]) {
        await page.open(pathToFileURL(join(folder, address)).href, { width, height: 800, dark: width === 360 });
        // Not `innerWidth`: a phone's browser makes that as wide as what it has to show.
        const wide = await page.evaluate<string[]>(`
          document.documentElement.scrollWidth <= ${width} ? [] : [...document.querySelectorAll("body *")]
            .filter((e) => e.getBoundingClientRect().right > ${width} + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 200))`);
        assert.deepEqual(wide, [], `${address} at ${width} pixels`);
      }
    }
    assert.deepEqual(page.complaints, []);
  });
});

test("the navigation opens on a phone, and the search finds headings and names", { timeout: 110_000 }, async (t) => {
  const browser = await findBrowser();
  if (browser === undefined) return t.skip("no Chromium");
  await withPage(browser, async (page) => {
    await page.open(pathToFileURL(join(folder, "guide/concepts.html")).href, { width: 360, height: 800, dark: false });
    const shown = `getComputedStyle(document.querySelector("nav")).display !== "none"`;
    assert.equal(await page.evaluate(shown), false);
    await page.evaluate(`document.querySelector("label[for=menu]").click()`);
    assert.equal(await page.evaluate(shown), true);
    const found = (query: string) =>
      page.evaluate<string[]>(`
        search.value = ${JSON.stringify(query)};
        search.dispatchEvent(new Event("input"));
        [...document.querySelectorAll("#found a")].map((a) => a.getAttribute("href"))`);
    assert.equal((await found("clipByGlobalNorm"))[0], "../api/~/clipByGlobalNorm.html");
    assert.ok((await found("permissions deno")).includes("../guide/install.html#permissions-in-deno"));
    assert.deepEqual(await found("no such thing"), []);
    await page.open(pathToFileURL(join(folder, "index.html")).href, { width: 1440, height: 900, dark: true });
    assert.equal(await page.evaluate(shown), true);
    assert.deepEqual(page.complaints, []);
  });
});

/** The programs of a page: the blocks in TypeScript. `deno test --doc` runs those that are not marked `ignore`, and checks their types. */
function programs(markdown: string): { code: string; line: number }[] {
  return [...markdown.matchAll(/^```ts([^\n]*)\n([^]*?)^```$/gm)].map(({ 2: code, index }) => ({
    code: code!,
    line: markdown.slice(0, index).split("\n").length,
  }));
}

test("the programs of the README and the guides run in Bun", { timeout: 110_000 }, async () => {
  const names = [
    "README.md",
    ...["docs/", "docs/guide/"].map((path) => readdir(new URL(path, root)).then((all) => all.map((name) => path + name))),
  ];
  const pages = (await Promise.all(names)).flat().filter((name) => name.endsWith(".md"));
  const entry = new URL("mod.ts", root).href,
    report = new URL("report.ts", root).href,
    place = await mkdtemp(join(tmpdir(), "tilework-guides-"));
  try {
    const calls: string[] = [];
    for (const page of pages) {
      for (const { code, line } of programs(await readFile(new URL(page, root), "utf8"))) {
        if (/\bDeno\./.test(code)) continue;
        const name = `${page.replaceAll("/", "_")}_${line}.ts`;
        await writeFile(
          join(place, name),
          code.replace(`import.meta.resolve("@tilework/tilework")`, JSON.stringify(entry)).replace(
            `from "@tilework/tilework"`,
            `from "${entry}"`,
          ).replaceAll(`"@tilework/tilework"`, JSON.stringify(entry)).replaceAll(`"@tilework/tilework/report"`, JSON.stringify(report)),
        );
        calls.push(`console.error(${JSON.stringify(`${page}:${line}`)}); await import("./${name}");`);
      }
    }
    assert.ok(calls.length > 30, `only ${calls.length} programs were found`);
    await writeFile(join(place, "all.ts"), `${calls.join("\n")}\nconsole.log("all ran"); process.exit(0);\n`);
    const ended = await run([await findRuntime("bun"), join(place, "all.ts")], { secondsMax: 100 });
    assertEndedWell(ended);
    assert.match(ended.stdout, /all ran\n$/);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
