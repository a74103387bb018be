// The documentation as one folder of static pages: the guides in Markdown, and the API as `deno doc` writes it. It needs no network and no server.
//   deno task site                  bun run site                  deno run -A scripts/site.ts FOLDER
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import process from "node:process";
import type { Marked, Tokens } from "marked";
import { fail, root, run } from "./process.ts";
import { ensurePackages, findRuntime } from "./runtimes.ts";

/** The pages in the order of the navigation: their sources, without `.md`. */
const sections: readonly (readonly [title: string, pages: readonly string[]])[] = [
  ["Start", ["README", "docs/guide/install", "docs/guide/first-model", "docs/guide/train", "docs/guide/concepts"]],
  ["Coming from", ["docs/guide/from-pytorch", "docs/guide/from-tfjs"]],
  ["Working with it", [
    "docs/report",
    "docs/guide/debugging",
    "docs/memory",
    "docs/guide/event-loop",
    "docs/guide/performance",
    "docs/guide/reproducibility",
    "docs/gpu",
    "docs/guide/deployment",
    "docs/guide/errors",
  ]],
  ["Reference", ["api", "docs/support", "docs/explain", "docs/tuning"]],
  ["The project", ["docs/architecture", "docs/measurements", "docs/development", "CONTRIBUTING", "STYLE", "SECURITY", "CHANGELOG"]],
];

/** What Markdown may refer to beside other pages. */
const files: readonly string[] = ["docs/loss.svg"];

/** The API's modules. */
const modules: readonly string[] = ["mod.ts", "doctor.ts", "report.ts"];

interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}

interface Page {
  /** `docs/guide/install`. */
  readonly source: string;
  /** `guide/install.html`. */
  readonly address: string;
  readonly title: string;
  readonly body: string;
  readonly headings: readonly Heading[];
}

const addressOf = (source: string) =>
  source === "api" ? "api/index.html" : source === "README" ? "index.html" : `${source.replace(/^docs\//, "").toLowerCase()}.html`;

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

const keywords =
  "as|async|await|break|catch|class|const|continue|else|export|extends|false|for|from|function|if|import|in|interface|let|new|null|of|" +
  "return|throw|true|try|type|typeof|undefined|using|while";
const strings = [`"(?:[^"\\\\\\n]|\\\\.)*"`, `'(?:[^'\\\\\\n]|\\\\.)*'`, "`(?:[^`\\\\]|\\\\.)*`"].join("|");

/** What has a colour: comments, strings, keywords and numbers, in the groups c, s, k and n. */
const colours: Readonly<Record<string, RegExp>> = {
  ts: new RegExp(`(?<c>//.*|/\\*[^]*?\\*/)|(?<s>${strings})|(?<k>\\b(?:${keywords})\\b)|(?<n>\\b\\d[\\d_.]*(?:e[+-]?\\d+)?\\b)`, "g"),
  sh: /(?<c>(?<=^|\s)#.*)/gm,
};

/** Colours code in one pass over its text, of which nothing is lost if it is mistaken. */
function coloured(code: string, language: string): string {
  const pattern = colours[language === "js" ? "ts" : language] ?? /(?!)/g;
  let html = "", at = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    html += `${escaped(code.slice(at, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escaped(code.slice(at));
}

/** GitHub's rule for the anchors of headings, so that the same links work in both places. */
function slugOf(text: string, taken: Map<string, number>): string {
  const slug = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Where a link of the Markdown leads in the site. Throws for what the site does not have. */
function linkTo(href: string, source: string): string {
  if (/^(https?:|#)/.test(href)) return href;
  const [path, anchor] = href.split("#"), target = posix.join(posix.dirname(source), path!), page = target.replace(/\.md$/, "");
  const known = sections.some(([, pages]) => pages.includes(page));
  if (!known && !files.includes(target)) {
    throw new Error(`${source}.md links to ${href}, which is no page of the site: name it in code, without a link`);
  }
  const address = known ? addressOf(page) : target.replace(/^docs\//, "");
  return posix.relative(posix.dirname(addressOf(source)), address) + (anchor === undefined ? "" : `#${anchor}`);
}

function render(source: string, markdown: string, Renderer: typeof Marked): Page {
  const headings: Heading[] = [], taken = new Map<string, number>();
  const marked = new Renderer({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens), text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const plain = text.replace(
          /&(amp|lt|gt|quot|#39);/g,
          (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name]!,
        );
        const id = slugOf(plain, taken);
        headings.push({ depth, text: plain, id });
        return `<h${depth} id="${escaped(id)}">${depth === 1 ? html : `<a href="#${escaped(id)}">${html}</a>`}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escaped(linkTo(href, source))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image): string {
        return `<img src="${escaped(linkTo(href, source))}" alt="${escaped(text)}">`;
      },
      code({ text, lang }: Tokens.Code): string {
        return `<pre><code>${coloured(text, (lang ?? "").split(/\s/)[0]!)}</code></pre>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        throw new Error(`${source}.md holds HTML, which is not taken: ${text}`);
      },
    },
  });
  const html = (marked.parse(markdown) as string) // synchronous without extensions that are not
    .replaceAll("<table>", `<div class="table" tabindex="0"><table>`).replaceAll("</table>", "</table></div>");
  const title = headings.find(({ depth }) => depth === 1)?.text;
  if (title === undefined) throw new Error(`${source}.md has no title`);
  return { source, address: addressOf(source), title, body: html, headings };
}

/** A page with the navigation around it. */
function framed(page: Page, pages: readonly Page[]): string {
  const up = posix.relative(posix.dirname(page.address), ".") || ".", at = pages.indexOf(page);
  const link = ({ address, title }: Pick<Page, "address" | "title">, label = title) =>
    `<a href="${up}/${address}"${address === page.address ? ' aria-current="page"' : ""}>${escaped(label)}</a>`;
  const named = (source: string) =>
    source === "api" ? { address: addressOf(source), title: "API" } : pages.find((p) => p.source === source)!;
  const items = ([title, sources]: typeof sections[number]) =>
    `<h2>${title}</h2>\n<ul>\n${
      sources.map((source) => `<li>${link(named(source), source === "README" ? "Overview" : undefined)}</li>`).join("\n")
    }\n</ul>`;
  const before = pages[at - 1], after = pages[at + 1];
  return `<!doctype html>
<html lang="en" data-root="${up}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.source === "README" ? "tilework" : `${page.title} · tilework`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}/style.css">
<script src="${up}/headings.js" defer></script>
<script src="${up}/page.js" defer></script>
</head>
<body>
<header>
<a class="skip" href="#content">To the text</a>
<a class="brand" href="${up}/index.html">tilework</a>
<input type="checkbox" id="menu"><label for="menu">Menu</label>
<input type="search" id="search" placeholder="Search" aria-label="Search headings and names" autocomplete="off" hidden>
<ul id="found" aria-live="polite"></ul>
<nav aria-label="Pages">
${sections.map(items).join("\n")}
</nav>
</header>
<main id="content">
${page.body}
<div class="next"><span>${before ? `← ${link(before)}` : ""}</span><span>${after ? `${link(after)} →` : ""}</span></div>
</main>
</body>
</html>
`;
}

/** A page of `deno doc` without links to sources on this machine, and to anchors that it lacks: those of a mapped type's variable. */
function withoutLostLinks(html: string): string {
  const ids = new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id));
  return html.replace(/<a\s+class="sourceButton"\s+href="file:[^"]*">[^]*?<\/a>/g, "")
    .replace(/(?<= href="(?:\.[^":]*)?(?:\/|&#x2F;))(?=")/g, "index.html") // a file's folder has no index of its own
    .replace(/<a href="#([^"]*)"[^>]*>([^<]*)<\/a>/g, (link, id: string, text: string) => ids.has(id) ? link : text);
}

/** What `deno doc` writes, with a way back to the guides. Returns the names that it documents and their addresses. */
async function writeApi(folder: string): Promise<[name: string, address: string][]> {
  const command = [await findRuntime("deno"), "doc", "--quiet", "--html", "--name=tilework", `--output=${folder}`, ...modules];
  const { code, text } = await run(command, { output: "keep", env: { NO_COLOR: "1" } });
  if (code !== 0) throw new Error(`deno doc failed:\n${text}`);
  const pages = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/")).filter((file) =>
    file.endsWith(".html")
  ).sort();
  for (const file of pages) {
    const path = join(folder, file), up = posix.relative(posix.dirname(file), ".") || ".";
    const back = `<p class="guides"><a href="${up}/../index.html">← tilework: guides</a></p>`;
    const html = withoutLostLinks(await readFile(path, "utf8"));
    await writeFile(
      path,
      html.replace("</head>", `<link rel="stylesheet" href="${up}/../api.css"></head>`).replace("<body>", `<body>\n${back}`),
    );
  }
  return pages.flatMap((file): [string, string][] => {
    const name = /^(?:(?:doctor|report)\/)?~\/([^./]+)\.html$/.exec(file)?.[1];
    return name === undefined ? [] : [[name, `api/${file}`]];
  });
}

/** Writes the whole site into a folder, which is emptied first. Throws where a link leads to what the site does not have. */
export async function writeSite(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { Marked } = await import("marked"); // here, so that the script can install it first
  const sources = sections.flatMap(([, pages]) => pages).filter((source) => source !== "api");
  const pages = await Promise.all(
    sources.map(async (source) => render(source, await readFile(join(root, `${source}.md`), "utf8"), Marked)),
  );
  for (const page of pages) {
    const path = join(folder, page.address);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, framed(page, pages));
  }
  for (const file of files) await cp(join(root, file), join(folder, file.replace(/^docs\//, "")));
  for (const file of ["style.css", "api.css", "page.js"]) await cp(join(root, "docs/site", file), join(folder, file));
  const names = await writeApi(join(folder, "api"));
  const entries = [
    ...pages.flatMap((page) =>
      page.headings.map(({ text, id, depth }) => [text, page.title, depth === 1 ? page.address : `${page.address}#${id}`])
    ),
    ...names.map(([name, address]) => [name, "API", address]),
  ];
  await writeFile(join(folder, "headings.js"), `globalThis.tileworkHeadings = ${JSON.stringify(entries)};\n`);
}

if (import.meta.main) {
  const [folder = join(root, "out", "site"), ...more] = process.argv.slice(2);
  if (more.length > 0) fail("Usage: scripts/site.ts [FOLDER]");
  await ensurePackages();
  await writeSite(folder);
  console.log(join(folder, "index.html"));
}
