// Runs in the page of a report: draws the run that the page carries, reads values out under pointer, finger and arrow keys, and while the run goes on takes
// what is new from its events. All text reaches the page as text, never as HTML.

const holder = document.getElementById("run");
const main = document.querySelector("main");
const run = JSON.parse(holder.textContent);

/** The step under the reader's pointer, the same in all charts; null where there is none. */
let cursor = null;

// ── Elements ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// ── Numbers as text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const whole = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const millions = (value) => value < 1e6 ? whole(value) : `${value < 1e9 ? (value / 1e6).toPrecision(4) : whole(value / 1e6)}\u202fM`;
const fixed = (value) => value.toFixed(3);
const short = (value) => value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(2) : String(+value.toPrecision(3));
const percent = (share) => `${(100 * share).toFixed(0)}\u202f%`;

function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}

// ── The run's figures ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const bucketCount = () => run.figures.loss.mean.length;
/** The step in the middle of a bucket. */
const stepOf = (bucket) => Math.min(bucket * run.every + (run.every - 1) / 2, Math.max(0, run.done - 1));
const bucketOf = (step) => Math.max(0, Math.min(bucketCount() - 1, Math.floor(step / run.every)));
const spread = (column) => column.min.map((low, i) => [low, column.max[i]]);
const known = (values) => values.filter((value) => value !== null);

/** The mean over about a fortieth of the run around each bucket, narrower towards the ends, so that they stay in place. */
function smoothed(values) {
  const reach = Math.ceil(values.length / 80), sums = [0], counts = [0];
  values.forEach((value, i) => {
    sums.push(sums[i] + (value ?? 0));
    counts.push(counts[i] + (value === null ? 0 : 1));
  });
  return values.map((value, i) => {
    const near = Math.min(reach, i, values.length - 1 - i), from = i - near, to = i + near + 1;
    return value === null ? null : (sums[to] - sums[from]) / (counts[to] - counts[from]);
  });
}

/** Tokens a second from seconds a step. */
const speed = (seconds) => seconds.map((s) => s === null ? null : run.about.tokensPerStep / s);

/** Each expert's share of all experts' load. */
function shares() {
  const columns = run.figures.load.map(({ mean }) => mean);
  const totals = columns[0]?.map((_, i) => columns.reduce((sum, column) => sum + (column[i] ?? 0), 0)) ?? [];
  return columns.map((column) => column.map((load, i) => load === null || totals[i] === 0 ? null : load / totals[i]));
}

// ── What the charts show ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// lines: name, values by bucket, and `kind`: "main" thick, "faint" thin. bands: [low, high] by bucket, without a name of their own. dots: [step, value].

const charts = [
  {
    id: "loss",
    title: "Loss",
    unit: "nats a byte",
    wide: true,
    format: fixed,
    data: () => ({
      bands: [spread(run.figures.loss)],
      lines: [
        { name: run.every === 1 ? "each step" : `mean of ${whole(run.every)} steps`, kind: "faint", values: run.figures.loss.mean },
        { name: "moving average", kind: "main", values: smoothed(run.figures.loss.mean) },
      ],
      dots: { name: "held-out text", points: run.looks.map(({ step, loss }) => [step, loss]) },
    }),
  },
  {
    id: "rate",
    title: "Learning rate",
    unit: "",
    zero: true,
    format: short,
    data: () => ({ lines: [{ name: "learning rate", kind: "main", values: run.figures.rate.mean }] }),
  },
  {
    id: "norm",
    title: "Gradient norm",
    unit: "before clipping",
    logarithmic: true,
    format: short,
    data: () => ({
      bands: [spread(run.figures.norm)],
      lines: [
        { name: run.every === 1 ? "each step" : `mean of ${whole(run.every)} steps`, kind: "faint", values: run.figures.norm.mean },
        { name: "moving average", kind: "main", values: smoothed(run.figures.norm.mean) },
      ],
      limit: { name: `clipped at ${run.about.clip}`, value: run.about.clip },
    }),
  },
  {
    id: "speed",
    title: "Speed",
    unit: "tokens/s",
    zero: true,
    format: whole,
    data: () => ({
      bands: [spread(run.figures.seconds).map(([low, high]) => low === null ? [null, null] : [speed([high])[0], speed([low])[0]])],
      lines: [
        {
          name: run.every === 1 ? "each step" : `mean of ${whole(run.every)} steps`,
          kind: "faint",
          values: speed(run.figures.seconds.mean),
        },
        { name: "moving average", kind: "main", values: speed(smoothed(run.figures.seconds.mean)) },
      ],
    }),
  },
  {
    id: "load",
    title: "Expert load",
    unit: "share of the tokens' choices",
    wide: true,
    format: percent,
    hidden: () => run.figures.load.length === 0,
    data: () => ({ stack: shares() }),
  },
];

// ── Scales ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The next of 1, 2, 5, 10, 20, 50, … and their decimal fractions that is not smaller. */
function roundUp(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5].map((factor) => factor * power).find((one) => one >= size * (1 - 1e-9)) ?? 10 * power;
}

/** Ticks at round numbers from `low` to `high`, the outer ones beyond where `outside` is set. */
function linearTicks(low, high, count, outside) {
  const step = roundUp((high - low) / count || 1), end = outside ? Math.ceil : Math.floor;
  const first = Math.floor(low / step + 1e-9), last = end(high / step - (outside ? 1e-9 : -1e-9));
  return Array.from({ length: Math.max(last, first + (outside ? 1 : 0)) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(12));
}

/** 1, 2, 5, 10, … from below `low` to above `high`, or only the powers of ten where these are many. */
function logTicks(low, high) {
  const ticks = [], factors = high / low > 1e4 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); power++) {
    for (const factor of factors) ticks.push(+(factor * 10 ** power).toPrecision(12));
  }
  const first = ticks.findLastIndex((tick) => tick <= low), last = ticks.findIndex((tick) => tick >= high);
  return ticks.slice(Math.max(0, first), last < 0 ? undefined : Math.max(last, first + 1) + 1);
}

/** The y axis of a chart: ticks and where a value stands between 0 (bottom) and 1. */
function yAxis(chart, { bands = [], lines = [], dots, limit, stack }) {
  if (stack) return { ticks: [0, 0.25, 0.5, 0.75, 1], at: (share) => share, format: percent };
  // What stands out of a bucket's mean does not set the scale: one spike would flatten all the rest.
  const values = known([...lines.flatMap((line) => line.values), ...(dots?.points ?? []).map(([, value]) => value)]);
  if (limit && values.some((value) => value > limit.value / 3)) values.push(limit.value);
  let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (values.length === 0) [low, high] = [0, 1];
  if (chart.logarithmic && low > 0 && high / low > 8) {
    const ticks = logTicks(low, high), base = Math.log(ticks[0]), range = Math.log(ticks.at(-1)) - base;
    return { ticks, at: (value) => (Math.log(Math.max(value, 1e-30)) - base) / range, format: short, logarithmic: true };
  }
  if (chart.zero || bands.length > 0 && low < 0.3 * high && low > 0) low = Math.min(0, low);
  const ticks = linearTicks(low, high === low ? low + (Math.abs(low) || 1) : high, 5, true),
    bottom = ticks[0],
    range = ticks.at(-1) - bottom;
  const digits = Math.max(0, -Math.floor(Math.log10(ticks[1] - bottom) + 1e-9));
  const format = ticks.at(-1) >= 10_000
    ? (value) => `${whole(value / 1000)}${value === 0 ? "" : "\u202fk"}`
    : digits > 3
    ? (value) => value === 0 ? "0" : value.toExponential()
    : (value) => value.toFixed(digits);
  return { ticks, at: (value) => (value - bottom) / range, format };
}

// ── Drawing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Runs of neighbouring buckets whose value is known. */
function pieces(values) {
  const found = [];
  values.forEach((value, i) => {
    if (value === null) return;
    if (i > 0 && values[i - 1] !== null) found.at(-1).push(i);
    else found.push([i]);
  });
  return found;
}

/** A line through the known values; one that stands alone becomes a short dash. */
function curve(values, { x, y }) {
  return pieces(values).map((piece) => {
    const points = piece.map((i) => point(x(stepOf(i)), y(values[i])));
    return `M${points.join("L")}${points.length === 1 ? "h2" : ""}`;
  }).join("");
}

/** The area between two rows of values; one bucket alone becomes a bar. */
function area(lows, highs, { x, y }) {
  return pieces(lows).map((piece) => {
    const corners = piece.length > 1
      ? piece.map((i) => [x(stepOf(i)), i])
      : [[x(stepOf(piece[0])) - 1, piece[0]], [x(stepOf(piece[0])) + 1, piece[0]]];
    const there = corners.map(([at, i]) => point(at, y(highs[i]))), back = corners.map(([at, i]) => point(at, y(lows[i]))).reverse();
    return `M${[...there, ...back].join("L")}Z`;
  }).join("");
}

/** Draws a chart as wide as it now stands. */
function draw(chart) {
  chart.figure.hidden = chart.hidden?.() ?? false;
  if (chart.figure.hidden) return;
  const data = chart.data(), axis = yAxis(chart, data);
  const width = Math.max(240, chart.figure.clientWidth), height = chart.wide && width > 500 ? 320 : 220;
  const left = 52, right = width - (data.stack ? 64 : 26), top = 10, bottom = height - 40, last = Math.max(1, run.done);
  const x = (step) => left + (right - left) * step / last;
  // Far outside is as good as infinitely far, and stays a number that every renderer takes.
  const y = (value) => bottom - (bottom - top) * Math.max(-1, Math.min(2, axis.at(value)));
  const scale = { x, y, left, right, top, bottom, last };
  Object.assign(chart, { scale, drawn: data });

  const xTicks = linearTicks(0, last, Math.max(3, Math.floor(width / 80)), false).filter(Number.isInteger);
  const inside = svg("g", { "clip-path": `url(#clip-${chart.id})` });
  const ends = stackOf(data.stack ?? [], scale, inside);
  for (const band of data.bands ?? []) {
    inside.append(svg("path", { class: "band", d: area(band.map(([low]) => low), band.map(([, high]) => high), scale) }));
  }
  if (data.limit) inside.append(svg("path", { class: "limit", d: `M${left} ${y(data.limit.value)}H${right}` }));
  for (const { kind, values } of data.lines ?? []) inside.append(svg("path", { class: kind, d: curve(values, scale) }));
  const dots = data.dots?.points.map(([step, value]) => [x(step), y(value)]) ?? [];
  if (dots.length > 0) inside.append(svg("path", { class: "dashed", d: `M${dots.map(([a, b]) => point(a, b)).join("L")}` }));

  chart.hand = svg("g", { class: "hand" });
  chart.view.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart.view.replaceChildren(
    svg(
      "defs",
      {},
      svg("clipPath", { id: `clip-${chart.id}` }, svg("rect", { x: left, y: top - 6, width: right - left, height: bottom - top + 7 })),
      // Every second expert is hatched, so that neighbours differ without their colours.
      svg(
        "pattern",
        { id: `hatch-${chart.id}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("path", { class: "hatch", d: "M0 0V7" }),
      ),
    ),
    svg("g", { class: "grid" }, ...axis.ticks.map((tick) => svg("path", { d: `M${left} ${y(tick).toFixed(1)}H${right}` }))),
    inside,
    ...dots.map(([cx, cy]) => svg("circle", { class: "dot", cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4 })),
    svg("path", {
      class: "axis",
      d: `M${left} ${top}V${bottom}H${right}${xTicks.map((tick) => `M${x(tick).toFixed(1)} ${bottom}v5`).join("")}`,
    }),
    svg("g", { "text-anchor": "end" }, ...axis.ticks.map((tick) => label(left - 8, y(tick), axis.format(tick)))),
    svg(
      "g",
      { "text-anchor": "middle" },
      ...xTicks.map((tick) => label(x(tick), bottom + 15, last >= 1e5 && tick > 0 ? `${whole(tick / 1000)}\u202fk` : whole(tick))),
      label((left + right) / 2, height - 8, "step"),
    ),
    ...ends.map(([middle, text]) => label(right + 6, middle, text)),
    chart.hand,
  );
  chart.unitText.textContent = [chart.unit, axis.logarithmic ? "log scale" : ""].filter(Boolean).join(", ");
  drawKey(chart, data);
  readOut(chart);
}

const label = (x, y, text) => svg("text", { x: x.toFixed(1), y: y.toFixed(1), dy: ".35em" }, text);

/** Draws bands upon each other, one an expert, and returns what is to be written at their ends: [y, text]. */
function stackOf(columns, scale, into) {
  const ends = [];
  let below = columns[0]?.map((share) => share === null ? null : 0) ?? [];
  columns.forEach((column, expert) => {
    const above = below.map((low, i) => low === null ? null : low + (column[i] ?? 0));
    const d = area(below, above, scale);
    into.append(svg("path", { class: `expert e${expert % 8}`, d }));
    if (expert % 2 === 1) into.append(svg("path", { style: "fill: url(#hatch-load)", d }));
    const end = above.findLastIndex((value) => value !== null);
    const middle = scale.y(end < 0 ? 0 : (below[end] + above[end]) / 2);
    // A label that would cover another is left to the read-out.
    if (end >= 0 && (ends.length === 0 || ends.at(-1)[0] - middle >= 13)) ends.push([middle, `${expert}: ${percent(column[end] ?? 0)}`]);
    below = above;
  });
  return ends;
}

function drawKey(chart, { lines = [], limit, dots }) {
  const symbol = (...marks) => svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, ...marks);
  const line = (kind) => svg("path", { class: kind, d: "M0 6H26" });
  const items = [
    ...lines.map(({ name, kind }) => [symbol(line(kind)), name]),
    ...limit ? [[symbol(line("limit")), limit.name]] : [],
    ...dots ? [[symbol(line("dashed"), svg("circle", { class: "dot", cx: 13, cy: 6, r: 4 })), dots.name]] : [],
  ];
  chart.key.replaceChildren(...items.length > 1 ? items.map((item) => html("li", {}, ...item)) : []);
}

// ── Reading values out ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a chart says of a step: [name, value, y]. */
function valuesAt(chart, step) {
  const { lines = [], dots, stack } = chart.drawn, bucket = bucketOf(step);
  const found = lines.map(({ name, values }) => [name, values[bucket]]);
  stack?.forEach((column, expert) => found.push([`expert ${expert}`, column[bucket]]));
  const look = dots?.points.findLast(([at]) => at <= step + run.every / 2);
  if (look) found.push([`${dots.name} (step ${whole(look[0])})`, look[1]]);
  return found.filter(([, value]) => value !== null && value !== undefined);
}

/** Writes a chart's values at the cursor, or the latest ones, beside its title, and marks the place. */
function readOut(chart) {
  if (chart.figure.hidden || bucketCount() === 0) return;
  const { x, y, top, bottom, last } = chart.scale, step = Math.min(cursor ?? Infinity, last);
  const bucket = bucketOf(step), first = bucket * run.every, end = Math.min(first + run.every, run.done) - 1;
  const place = step >= last ? `step ${whole(last)}` : end > first ? `steps ${whole(first)} to ${whole(end)}` : `step ${whole(first)}`;
  const values = valuesAt(chart, step);
  chart.read.replaceChildren(
    html("b", {}, place),
    ...values.map(([name, value]) => html("span", {}, `${name} `, html("b", {}, chart.format(value)))),
  );
  chart.view.setAttribute("aria-valuemax", last);
  chart.view.setAttribute("aria-valuenow", Math.round(step));
  chart.view.setAttribute("aria-valuetext", [place, ...values.map(([name, value]) => `${name} ${chart.format(value)}`)].join(", "));
  const at = x(step >= last ? last : stepOf(bucket));
  const marked = chart.drawn.lines?.filter(({ kind, values }) => kind === "main" && values[bucket] !== null) ?? [];
  chart.hand.replaceChildren(
    ...cursor === null ? [] : [
      svg("path", { d: `M${at.toFixed(1)} ${top}V${bottom}` }),
      ...marked.map(({ values }) => svg("circle", { cx: x(stepOf(bucket)).toFixed(1), cy: y(values[bucket]).toFixed(1), r: 4 })),
    ],
  );
}

function moveTo(step) {
  cursor = step;
  for (const chart of charts) readOut(chart);
}

function follow(chart) {
  const { view } = chart;
  const toPointer = ({ clientX }) => {
    const { left, right, last } = chart.scale, box = view.getBoundingClientRect();
    const inDrawing = (clientX - box.left) * view.viewBox.baseVal.width / box.width;
    moveTo(Math.max(0, Math.min(1, (inDrawing - left) / (right - left))) * last);
  };
  view.addEventListener("pointermove", toPointer);
  view.addEventListener("pointerdown", toPointer);
  view.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && moveTo(null)); // a finger leaves what it has pointed at
  view.addEventListener("keydown", (event) => {
    const { last } = chart.scale, from = cursor ?? last, leap = Math.max(run.every, last / 10);
    const to = {
      ...{ ArrowLeft: from - run.every, ArrowRight: from + run.every, PageDown: from - leap, PageUp: from + leap },
      ...{ Home: 0, End: last, Escape: null },
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to === null ? null : Math.max(0, Math.min(last, to)));
  });
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const title = html("h1");
const status = html("p", { id: "status", role: "status" });
const bar = html("progress", { "aria-label": "steps done" });
const numbers = html("dl", { class: "numbers" });
const samples = html("div", { class: "samples" });
const facts = html("dl", { class: "facts" });
const table = html("table");

function build() {
  for (const chart of charts) {
    chart.unitText = html("span", { class: "unit" });
    chart.key = html("ul", { class: "key" });
    chart.read = html("p", { class: "read" });
    chart.view = svg("svg", {
      tabindex: 0,
      role: "slider",
      "aria-label": `${chart.title}, read out by step`,
      "aria-valuemin": 0,
      "aria-valuenow": 0,
    });
    const caption = html("figcaption", {}, html("h2", {}, chart.title), chart.unitText, chart.key);
    chart.figure = html("figure", { id: chart.id, class: chart.wide ? "wide" : "" }, caption, chart.read, chart.view);
    follow(chart);
  }
  main.append(
    html("header", {}, title, status, bar),
    numbers,
    html("div", { class: "charts" }, ...charts.map(({ figure }) => figure)),
    html("section", {}, html("h2", {}, "What it wrote"), samples),
    html("section", {}, html("h2", {}, "Plan"), facts),
    html(
      "details",
      {},
      html("summary", {}, "Figures as a table"),
      html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures" }, table),
    ),
  );
}

function drawHead() {
  const { done, about: { steps } } = run;
  const running = holder.dataset.events ? "Running" : "Still running when this was written"; // a file hears of nothing new
  const lost = "Not connected, trying again; last heard of";
  const words = { running: listening ? running : lost, stopped: "Stopped; --resume goes on from there", finished: "Finished" }[run.state];
  status.textContent = `${words}: step ${whole(done)} of ${whole(steps)}`;
  status.dataset.state = listening ? run.state : "lost";
  Object.assign(bar, { max: steps, value: done, hidden: run.state === "finished" });
}

function drawNumbers() {
  const { loss, seconds } = run.figures, look = run.looks.at(-1), perStep = known(seconds.mean);
  const mean = perStep.reduce((sum, one) => sum + one, 0) / perStep.length;
  const best = run.looks.reduce((low, one) => one.loss < low.loss ? one : low, look);
  const items = [
    ["held-out loss", look && look.loss.toFixed(3), `nats a byte${look ? `, ${(look.loss / Math.LN2).toFixed(2)} bits` : ""}`],
    ["lowest held-out loss", best && best.loss.toFixed(3), best ? `at step ${whole(best.step)}` : ""],
    ["training loss", known(smoothed(loss.mean)).at(-1)?.toFixed(3), "moving average"],
    ["speed", perStep.length > 0 ? whole(run.about.tokensPerStep / mean) : undefined, "tokens/s"],
    ["trained on", millions(run.done * run.about.tokensPerStep), "tokens"],
    ["time in steps", perStep.length > 0 ? duration(mean * run.done) : undefined, ""],
  ];
  numbers.replaceChildren(
    ...items.map(([name, value, unit]) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, html("b", {}, value ?? "–"), html("span", {}, unit)))
    ),
  );
}

/** What the run is; another run may be served where the first one was. */
function drawPlan() {
  const { about } = run;
  title.textContent = document.title = about.title;
  facts.replaceChildren(
    ...[...Object.entries(about.plan), ...Object.entries(about.machine)].map(([name, value]) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, typeof value === "number" ? whole(value) : value))
    ),
  );
}

function drawSamples() {
  samples.replaceChildren(...run.samples.map(({ step, text }) => {
    const look = run.looks.find((one) => one.step === step);
    return html(
      "figure",
      {},
      html("figcaption", {}, `step ${whole(step)}${look ? `, held-out loss ${look.loss.toFixed(3)}` : ""}`),
      html("pre", {}, text),
    );
  }));
  samples.parentElement.hidden = run.samples.length === 0;
}

/** About twenty rows, for those who would rather read than look. */
function drawTable() {
  const count = bucketCount(), rows = Math.min(count, 20), { loss, rate, norm, seconds } = run.figures, load = shares();
  const names = ["step", "loss", "learning rate", "gradient norm", "tokens/s", ...load.map((_, expert) => `expert ${expert}`)];
  const cell = (value, format) => html("td", {}, value === null || value === undefined ? "" : format(value));
  table.replaceChildren(
    html("thead", {}, html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name)))),
    html(
      "tbody",
      {},
      ...Array.from({ length: rows }, (_, row) => {
        const i = rows < 2 ? 0 : Math.round(row * (count - 1) / (rows - 1));
        return html(
          "tr",
          {},
          html("th", { scope: "row" }, whole(i * run.every)),
          ...[cell(loss.mean[i], fixed), cell(rate.mean[i], short), cell(norm.mean[i], short), cell(speed(seconds.mean)[i], whole)],
          ...load.map((column) => cell(column[i], percent)),
        );
      }),
    ),
  );
}

function drawAll() {
  drawHead();
  drawPlan();
  drawNumbers();
  for (const chart of charts) draw(chart);
  drawSamples();
  drawTable();
}

// ── What is new ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether news come, or none are awaited. */
let listening = true;
const againMs = 3000;

/** Puts news in the place of what was there from its first bucket and step on. */
function take(news) {
  const join = (column, more) => {
    for (const part of ["mean", "min", "max"]) if (more[part]) column[part].splice(news.from, Infinity, ...more[part]);
  };
  for (const name of ["loss", "rate", "norm", "seconds"]) join(run.figures[name], news.figures[name]);
  run.figures.load = news.figures.load.map((more, expert) => {
    const column = run.figures.load[expert] ?? { mean: Array(news.from).fill(null) };
    join(column, more);
    return column;
  });
  for (const name of ["looks", "samples"]) run[name] = [...run[name].filter(({ step }) => step < news.since), ...news[name]];
  for (const name of ["about", "state", "done", "every", "mark"]) run[name] = news[name];
}

function listen(address) {
  const events = new EventSource(`${address}?since=${encodeURIComponent(run.mark)}`);
  let waiting = false;
  const show = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawAll();
    });
  };
  events.addEventListener("open", () => {
    listening = true;
    show();
  });
  events.addEventListener("message", ({ data }) => {
    take(JSON.parse(data));
    show();
  });
  events.addEventListener("end", () => events.close());
  // The browser connects again by itself, and says what it has heard last. It gives up where something else answers, such as another program that took the
  // port of a run that ended: then the page asks again, and goes on when the run is back.
  events.addEventListener("error", () => {
    listening = false;
    show();
    if (events.readyState === EventSource.CLOSED) setTimeout(() => listen(address), againMs);
  });
}

build();
drawAll();
let width = main.clientWidth;
new ResizeObserver(() => {
  if (main.clientWidth === width) return;
  width = main.clientWidth;
  charts.forEach(draw);
}).observe(main);
if (holder.dataset.events) listen(holder.dataset.events);
