// Runs in the page of a report: draws the run that the page carries, reads values out under pointer, finger and arrow keys, and while the run goes on takes
// what is new from its events. All text reaches the page as text, never as HTML.

const holder = document.getElementById("run");
const main = document.querySelector("main");
let run = JSON.parse(holder.textContent);

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
const percent = (share) => `${(100 * share).toFixed(0)}\u202f%`;

/** Four digits, or all of a whole number. */
function number(value) {
  if (value === null) return "not finite";
  const size = Math.abs(value);
  if (size >= 1e9 || size !== 0 && size < 1e-3) return value.toExponential(3).replace(/\.?0+e/, "e");
  return size >= 1000 ? whole(value) : String(+value.toPrecision(4));
}

function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}

// ── The run's values ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// A series is what the run says of it, with its points: at (steps, rising), mean (null for what is not finite), count, min and max.

const bucketOf = (step) => Math.floor((step - run.first) / run.every);
const known = (values) => values.filter((value) => value !== null);

/** Adds what is left out of a column while each bucket is one step. */
function filled({ at, mean, count = mean.map((value) => value === null ? 0 : 1), min = mean, max = mean }) {
  return { at, mean, count, min, max };
}

/** The mean over about a fortieth of the points around each, narrower towards the ends, so that they stay in place. */
function smoothed(values) {
  const reach = Math.floor(values.length / 80), sums = [0], counts = [0];
  values.forEach((value, i) => {
    sums.push(sums[i] + (value ?? 0));
    counts.push(counts[i] + (value === null ? 0 : 1));
  });
  return values.map((value, i) => {
    const near = Math.min(reach, i, values.length - 1 - i), from = i - near, to = i + near + 1;
    return value === null ? null : (sums[to] - sums[from]) / (counts[to] - counts[from]);
  });
}

/** The last point at or before a step, -1 where there is none. Within a bucket the point counts from the bucket's first step on. */
function pointAt({ at }, step) {
  const bucket = bucketOf(step);
  return at.findLastIndex((place) => bucketOf(place) <= bucket);
}

/** The series of a chart as they are drawn: `main` is the line that the eye follows, `faint` the values behind it. */
function linesOf(chart) {
  return run.series.flatMap((series, i) => {
    if (series.group !== chart.title) return [];
    const column = filled(run.columns[i]), smooth = series.smooth && column.at.length >= 80;
    const main = smooth ? smoothed(column.mean) : column.mean;
    return [{ ...series, ...column, main, faint: smooth ? column.mean : null, spread: run.every > 1 }];
  });
}

/** Each series' share of the sum of all, at every step where any has a value. */
function sharesOf(lines) {
  const at = [...new Set(lines.flatMap((line) => line.at))].sort((a, b) => a - b);
  const values = lines.map((line) => {
    const known = new Map(line.at.map((place, i) => [place, line.mean[i]]));
    return at.map((place) => Math.max(0, known.get(place) ?? 0));
  });
  const totals = at.map((_, i) => values.reduce((sum, row) => sum + row[i], 0));
  return values.map((row) => ({ at, shares: row.map((value, i) => totals[i] > 0 ? value / totals[i] : null) }));
}

// ── Scales ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The next of 1, 2, 5, 10, 20, 50, … and their decimal fractions that is not smaller. */
function roundUp(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5].map((factor) => factor * power).find((one) => one >= size * (1 - 1e-9)) ?? 10 * power;
}

/** Ticks at round numbers from `low` to `high`, the outer ones beyond where `outside` is set. */
function linearTicks(low, high, count, outside) {
  const step = roundUp((high - low) / count || 1), end = outside ? Math.ceil : Math.floor, start = outside ? Math.floor : Math.ceil;
  const first = start(low / step + (outside ? 1e-9 : -1e-9)), last = end(high / step - (outside ? 1e-9 : -1e-9));
  return Array.from({ length: Math.max(last, first + (outside ? 1 : 0)) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(12));
}

/** 1, 2, 5, 10, … from below `low` to above `high`, or only powers of ten, of which at most about eight, where these are many. */
function logTicks(low, high) {
  if (high / low < 5) {
    const ticks = linearTicks(low, high, 5, true);
    if (ticks[0] > 0) return ticks;
  }
  const decades = Math.log10(high / low),
    every = decades > 8 ? roundUp(decades / 8) : 1,
    factors = decades > 4 ? [1] : [1, 2, 5],
    ticks = [];
  const from = Math.floor(Math.log10(low) / every - 1) * every;
  for (let power = from; power <= Math.ceil(Math.log10(high)) + every; power += every) {
    for (const factor of factors) ticks.push(+(factor * 10 ** power).toPrecision(12));
  }
  const first = ticks.findLastIndex((tick) => tick <= low), last = ticks.findIndex((tick) => tick >= high);
  return ticks.slice(Math.max(0, first), last < 0 ? undefined : Math.max(last, first + 1) + 1);
}

const lowest = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const highest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** How the ticks of a linear axis are written: all with as many digits. */
function tickFormat(ticks) {
  const digits = Math.max(0, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9)), size = Math.max(...ticks.map(Math.abs));
  if (digits > 4 || size >= 1e9) return (value) => value === 0 ? "0" : value.toExponential().replace("e+", "e");
  const [part, unit] = size >= 1e7 ? [1e6, "M"] : size >= 1e4 ? [1e3, "k"] : [1, ""];
  return (value) => {
    const text = part === 1 ? value.toFixed(digits) : String(+(value / part).toPrecision(6));
    return value === 0 || unit === "" ? text : `${text}\u202f${unit}`;
  };
}

/** The y axis of a chart: ticks, and where a value stands between 0 (bottom) and 1. */
function yAxis(chart, lines) {
  if (chart.stack) return { ticks: [0, 0.25, 0.5, 0.75, 1], at: (share) => share, format: percent };
  const log = chart.scale === "log", references = lines.flatMap(({ reference }) => reference ? [reference.value] : []);
  // What stands out of a bucket's mean does not set the scale: one spike would flatten all the rest.
  const values = known(lines.flatMap((line) => line.faint ? [...line.main, ...line.faint] : line.main)).filter((value) =>
    !log || value > 0
  );
  if (values.length === 0) values.push(...references.filter((value) => !log || value > 0));
  if (values.length === 0) values.push(log ? 0.1 : 0, 1);
  let low = lowest(values), high = highest(values);
  // A reference that is far off would flatten the rest too.
  const [nearLow, nearHigh] = log ? [low / 10, high * 10] : [2 * low - high, 2 * high - low];
  const near = references.filter((value) => value >= nearLow && value <= nearHigh);
  low = lowest([low, ...near]);
  high = highest([high, ...near]);
  if (log) {
    const ticks = logTicks(low, high > low ? high : 2 * low), base = Math.log(ticks[0]), range = Math.log(ticks.at(-1)) - base;
    const format = (value) => value >= 1e-3 && value < 1e4 ? String(value) : value.toExponential().replace("e+", "e");
    return { ticks, at: (value) => value > 0 ? (Math.log(value) - base) / range : -1, format };
  }
  if (chart.zero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) [low, high] = [low - (Math.abs(low) / 2 || 0.5), high + (Math.abs(high) / 2 || 0.5)];
  const ticks = linearTicks(low, high, 5, true), bottom = ticks[0], range = ticks.at(-1) - bottom;
  return { ticks, at: (value) => (value - bottom) / range, format: tickFormat(ticks) };
}

/** The x axis, the same for all charts: where a step stands between 0 (left) and 1, the other way round, and ticks. */
function xAxis(width) {
  const log = run.x.scale === "log", high = Math.max(log ? 2 : 1, run.last ?? 0), count = Math.max(3, Math.floor(width / 80));
  const low = log ? Math.max(1, run.first) : run.first > 1 ? run.first : 0, end = Math.max(high, low + 1);
  if (log) {
    const base = Math.log(low), range = Math.log(end) - base;
    const all = logTicks(low, end).filter((tick) => tick >= low && tick <= end && Number.isInteger(tick)),
      every = Math.ceil(all.length / count);
    const at = (step) => Math.max(0, (Math.log(Math.max(step, 1)) - base) / range);
    return { low: run.first, end, ticks: all.filter((_, i) => i % every === 0), at, stepAt: (part) => Math.exp(base + part * range) };
  }
  const ticks = linearTicks(low, end, count, false).filter(Number.isInteger);
  return { low, end, ticks, at: (step) => (step - low) / (end - low), stepAt: (part) => low + part * (end - low) };
}

// ── Drawing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Runs of neighbouring points whose value is known. */
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
function curve(at, values, { x, y }) {
  return pieces(values).map((piece) => {
    const points = piece.map((i) => point(x(at[i]), y(values[i])));
    return `M${points.join("L")}${points.length === 1 ? "h2" : ""}`;
  }).join("");
}

/** The area between two rows of values; one point alone becomes a bar. */
function area(at, lows, highs, { x, y }) {
  return pieces(lows).map((piece) => {
    const corners = piece.length > 1 ? piece.map((i) => [x(at[i]), i]) : [[x(at[piece[0]]) - 1, piece[0]], [x(at[piece[0]]) + 1, piece[0]]];
    const there = corners.map(([across, i]) => point(across, y(highs[i])));
    const back = corners.map(([across, i]) => point(across, y(lows[i]))).reverse();
    return `M${[...there, ...back].join("L")}Z`;
  }).join("");
}

const label = (x, y, text) => svg("text", { x: x.toFixed(1), y: y.toFixed(1), dy: ".35em" }, text);
const colour = (i) => `c${i % 8} d${i % 4}`;
/** Titles that fit beside a stack. */
const shortMax = 10;

/** Draws a chart as wide as it now stands. */
function draw(view) {
  const chart = run.charts[view.index], lines = linesOf(chart), axis = yAxis(chart, lines);
  const beside = chart.stack && lines.every(({ title }) => title.length <= shortMax);
  const width = Math.max(240, view.figure.clientWidth), height = chart.wide && width > 500 ? 320 : 220;
  const left = 56, top = 10, bottom = height - 40;
  const right = width - (beside ? 14 + 7 * (highest(lines.map(({ title }) => title.length)) + 6) : 26);
  const across = xAxis(right - left), x = (step) => left + (right - left) * across.at(step);
  // Far outside is as good as infinitely far, and stays a number that every renderer takes.
  const y = (value) => bottom - (bottom - top) * Math.max(-1, Math.min(2, axis.at(value)));
  const scale = { x, y, left, right, top, bottom, across };
  Object.assign(view, { scale, lines });

  const inside = svg("g", { "clip-path": `url(#clip-${view.index})` });
  const ends = chart.stack ? stack(view, inside, beside) : [];
  if (!chart.stack) drawLines(view, inside);
  view.hand = svg("g", { class: "hand" });
  view.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const ticks = across.ticks, format = ticks.at(-1) >= 1e5 ? tickFormat(ticks.length > 1 ? ticks : [0, ...ticks]) : whole;
  view.svg.replaceChildren(
    svg(
      "defs",
      {},
      svg(
        "clipPath",
        { id: `clip-${view.index}` },
        svg("rect", { x: left, y: top - 6, width: right - left + 5, height: bottom - top + 7 }),
      ),
      // Every second series of a stack is hatched, so that neighbours differ without their colours.
      svg(
        "pattern",
        { id: `hatch-${view.index}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("path", { class: "hatch", d: "M0 0V7" }),
      ),
    ),
    svg("g", { class: "grid" }, ...axis.ticks.map((tick) => svg("path", { d: `M${left} ${y(tick).toFixed(1)}H${right}` }))),
    inside,
    svg("path", {
      class: "axis",
      d: `M${left} ${top}V${bottom}H${right}${ticks.map((tick) => `M${x(tick).toFixed(1)} ${bottom}v5`).join("")}`,
    }),
    svg("g", { "text-anchor": "end" }, ...axis.ticks.map((tick) => label(left - 8, y(tick), axis.format(tick)))),
    svg(
      "g",
      { "text-anchor": "middle" },
      ...ticks.map((tick) => label(x(tick), bottom + 15, format(tick))),
      label((left + right) / 2, height - 8, [run.x.title, run.x.scale === "log" ? "(log scale)" : ""].join(" ").trim()),
    ),
    ...ends.map(([middle, text]) => label(right + 6, middle, text)),
    view.hand,
  );
  view.unit.textContent = [chart.stack ? "share" : chart.unit, chart.scale === "log" && !chart.stack ? "log scale" : ""].filter(Boolean)
    .join(", ");
  drawKey(view, chart, beside);
  readOut(view);
}

function drawLines({ lines, scale }, into) {
  const { left, right, y } = scale;
  lines.forEach((line, i) => {
    if (line.spread && line.kind === "line") {
      into.append(svg("path", { class: `band ${colour(i)}`, d: area(line.at, line.min, line.max, scale) }));
    }
  });
  lines.forEach((line, i) => {
    if (line.reference) {
      into.append(svg("path", { class: `reference ${colour(i)}`, d: `M${left} ${y(line.reference.value).toFixed(1)}H${right}` }));
    }
    if (line.faint) into.append(svg("path", { class: `faint ${colour(i)}`, d: curve(line.at, line.faint, scale) }));
  });
  lines.forEach((line, i) => {
    into.append(svg("path", { class: `main ${line.kind} ${colour(i)}`, d: curve(line.at, line.main, scale) }));
    if (line.kind !== "points") return;
    line.main.forEach((value, j) => {
      if (value === null) return;
      into.append(svg("circle", { class: `dot ${colour(i)}`, cx: scale.x(line.at[j]).toFixed(1), cy: y(value).toFixed(1), r: 4 }));
    });
  });
}

/** Draws shares upon each other, and returns what is to be written at their ends: [y, text]. */
function stack({ index, lines, scale }, into, labelled) {
  const ends = [], rows = sharesOf(lines);
  let below = rows[0]?.shares.map((share) => share === null ? null : 0) ?? [];
  rows.forEach(({ at, shares }, i) => {
    const above = below.map((low, j) => low === null ? null : low + shares[j]), d = area(at, below, above, scale);
    into.append(svg("path", { class: `share e${i % 8}`, d }));
    if (i % 2 === 1) into.append(svg("path", { style: `fill: url(#hatch-${index})`, d }));
    const end = above.findLastIndex((value) => value !== null), middle = end < 0 ? 0 : scale.y((below[end] + above[end]) / 2);
    // A label that would cover another is left to the read-out.
    if (labelled && end >= 0 && (ends.length === 0 || ends.at(-1)[0] - middle >= 13)) {
      ends.push([middle, `${lines[i].title}: ${percent(shares[end])}`]);
    }
    below = above;
  });
  return ends;
}

function drawKey({ key, lines }, chart, labelled) {
  const symbol = (...marks) => svg("svg", { width: 30, height: 12, "aria-hidden": "true" }, ...marks);
  const stroke = (kind, i) => svg("path", { class: `${kind} ${colour(i)}`, d: "M0 6H30" });
  const items = chart.stack
    ? labelled ? [] : lines.map(({ title }, i) => [symbol(svg("rect", { class: `e${i % 8}`, width: 30, height: 12 })), title])
    : lines.flatMap(({ title, kind, faint, reference }, i) => [
      ...faint && lines.length === 1
        ? [[symbol(stroke("faint", i)), run.every === 1 ? `each ${run.x.title}` : `means of ${whole(run.every)}`]]
        : [],
      kind === "points"
        ? [symbol(stroke("main points", i), svg("circle", { class: `dot ${colour(i)}`, cx: 15, cy: 6, r: 4 })), title]
        : [symbol(stroke("main", i)), faint && lines.length === 1 ? "moving average" : title],
      ...reference ? [[symbol(stroke("reference", i)), `${reference.title} ${number(reference.value)}`]] : [],
    ]);
  key.replaceChildren(...items.length > 1 ? items.map((item) => html("li", {}, ...item)) : []);
}

// ── Reading values out ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** With more series than these, their moving averages are not read out. */
const averagesMax = 3;

/** What a chart says of a step: [name, value]. */
function valuesAt({ lines, index }, step) {
  if (run.charts[index].stack) {
    const rows = sharesOf(lines);
    return rows.flatMap((row, i) => {
      const found = pointAt(row, step), share = row.shares[found] ?? null;
      return share === null ? [] : [[lines[i].title, percent(share)]];
    });
  }
  return lines.flatMap((line) => {
    const i = pointAt(line, step);
    if (i < 0) return [];
    const here = bucketOf(line.at[i]) === bucketOf(step), value = number(line.mean[i]);
    const low = number(line.min[i]), high = number(line.max[i]), ranged = lines.length === 1 && low !== high ? ` (${low} to ${high})` : "";
    return [
      [here ? line.title : `${line.title} (${run.x.title} ${whole(line.at[i])})`, value + ranged],
      ...line.faint && line.main[i] !== null && lines.length <= averagesMax
        ? [[lines.length === 1 ? "moving average" : `${line.title}, moving average`, number(line.main[i])]]
        : [],
    ];
  });
}

/** Writes a chart's values at the cursor, or the latest ones, beside its title, and marks the place. */
function readOut(view) {
  if (run.last === null) return view.read.replaceChildren();
  const { x, y, top, bottom } = view.scale, step = Math.max(run.first, Math.min(cursor ?? Infinity, run.last));
  const first = run.first + bucketOf(step) * run.every, end = Math.min(first + run.every - 1, run.last);
  const place = end > first && cursor !== null ? `${run.x.title} ${whole(first)} to ${whole(end)}` : `${run.x.title} ${whole(step)}`;
  const values = valuesAt(view, step);
  view.read.replaceChildren(html("b", {}, place), ...values.map(([name, value]) => html("span", {}, `${name} `, html("b", {}, value))));
  view.svg.setAttribute("aria-valuemin", run.first);
  view.svg.setAttribute("aria-valuemax", run.last);
  view.svg.setAttribute("aria-valuenow", Math.round(step));
  view.svg.setAttribute("aria-valuetext", [place, ...values.map(([name, value]) => `${name} ${value}`)].join(", "));
  if (cursor === null) return view.hand.replaceChildren();
  const marked = run.charts[view.index].stack ? [] : view.lines.flatMap(({ at, main, ...line }) => {
    const i = pointAt({ at, ...line }, step);
    return i >= 0 && main[i] !== null && bucketOf(at[i]) === bucketOf(step) ? [[x(at[i]), y(main[i])]] : [];
  });
  const across = Math.min(x(run.last), x(run.every === 1 ? Math.round(step) : (first + end) / 2));
  view.hand.replaceChildren(
    svg("path", { d: `M${across.toFixed(1)} ${top}V${bottom}` }),
    ...marked.map(([cx, cy]) => svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4 })),
  );
}

function moveTo(step) {
  cursor = step === null ? null : Math.round(step);
  for (const view of views) readOut(view);
}

function follow(view) {
  const toPointer = ({ clientX }) => {
    const { left, right, across } = view.scale, box = view.svg.getBoundingClientRect();
    const inDrawing = (clientX - box.left) * view.svg.viewBox.baseVal.width / box.width;
    moveTo(across.stepAt(Math.max(0, Math.min(1, (inDrawing - left) / (right - left)))));
  };
  view.svg.addEventListener("pointermove", toPointer);
  view.svg.addEventListener("pointerdown", toPointer);
  view.svg.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && moveTo(null)); // a finger leaves what it has pointed at
  view.svg.addEventListener("keydown", (event) => {
    const { first, every, last } = run, from = cursor ?? last ?? 0, leap = Math.max(every, ((last ?? 0) - first) / 10);
    const to = {
      ...{ ArrowLeft: from - every, ArrowDown: from - every, ArrowRight: from + every, ArrowUp: from + every },
      ...{ PageDown: from - leap, PageUp: from + leap, Home: first, End: last ?? 0, Escape: null },
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to === null ? null : Math.max(first, Math.min(last ?? 0, to)));
  });
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const title = html("h1");
const status = html("p", { id: "status", role: "status" });
const bar = html("progress");
const reload = html("input", { type: "checkbox", id: "reload", checked: "" });
const reloading = html("p", { class: "reload" }, reload, html("label", { for: "reload" }, ` load again every ${holder.dataset.reload} s`));
const tiles = html("dl", { class: "tiles" });
const chartsBox = html("div", { class: "charts" });
const images = html("section", { id: "images" });
const samples = html("div", { class: "samples" });
const facts = html("dl", { class: "facts" });
const table = html("table");
/** What is drawn of each chart. */
let views = [], drawnCharts = "";

main.append(
  html("header", {}, title, status, reloading, bar),
  tiles,
  chartsBox,
  images,
  html("section", { id: "samples" }, html("h2", {}, "Samples"), samples),
  html("section", { id: "facts" }, html("h2", {}, "About this run"), facts),
  html(
    "details",
    {},
    html("summary", {}, "Values as a table"),
    html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values" }, table),
  ),
);

/** The figures of the charts; made again where another run with other charts is served. */
function buildCharts() {
  const now = JSON.stringify(run.charts);
  if (now === drawnCharts) return;
  drawnCharts = now;
  views = run.charts.map((chart, index) => {
    const view = { index, unit: html("span", { class: "unit" }), key: html("ul", { class: "key" }), read: html("p", { class: "read" }) };
    view.svg = svg("svg", {
      tabindex: 0,
      role: "slider",
      "aria-label": `${chart.title}, read out by ${run.x.title}`,
      "aria-valuemin": 0,
      "aria-valuenow": 0,
    });
    const caption = html("figcaption", {}, html("h2", {}, chart.title), view.unit, view.key);
    view.figure = html("figure", { "data-chart": chart.title, class: chart.wide ? "wide" : "" }, caption, view.read, view.svg);
    follow(view);
    return view;
  });
  chartsBox.replaceChildren(...views.map(({ figure }) => figure));
}

function drawHead() {
  const { done, steps, last, x, state, written } = run, live = holder.dataset.events !== undefined;
  title.textContent = document.title = run.title;
  const day = 864e5, when = Date.now() - written < day ? new Date(written).toLocaleTimeString() : new Date(written).toLocaleString();
  const running = live ? "Running" : `Running when this was written, ${when}`; // a file hears of nothing new
  const words =
    { running: listening ? running : "Not connected, trying again; last heard of", stopped: "Stopped", finished: "Finished" }[state];
  const place = steps !== null
    ? `${x.title} ${whole(done)} of ${whole(steps)}`
    : last !== null
    ? `${x.title} ${whole(last)}`
    : "nothing yet";
  status.textContent = `${words}: ${place}`;
  status.dataset.state = listening ? state : "lost";
  reloading.hidden = !(state === "running" && holder.dataset.reload);
  fill(bar, { "aria-label": `${x.title}s done` }, []);
  Object.assign(bar, { max: steps ?? 1, value: done, hidden: steps === null || state === "finished" });
}

const tilesMax = 12;

/** The latest value of a series, and its best. */
function tileOf({ title, best, group }, column) {
  const { mean, min, max, at } = filled(column), { unit } = run.charts.find((chart) => chart.title === group);
  const extreme = best === "lowest" ? lowest(known(min)) : best === "highest" ? highest(known(max)) : Infinity;
  const where = (best === "lowest" ? min : max).indexOf(extreme),
    gone = mean.length > 0 && mean.at(-1) === null ? mean.findLastIndex((value) => value !== null) + 1 : -1;
  const notes = [
    gone >= 0 ? `since ${run.x.title} ${whole(at[gone])}` : "",
    Number.isFinite(extreme) ? `${best} ${number(extreme)} at ${run.x.title} ${whole(at[where])}` : "",
  ];
  return [title, mean.length > 0 ? number(mean.at(-1)) : "–", unit, notes.filter(Boolean).join("; ")];
}

function drawTiles() {
  const stacked = new Set(run.charts.filter((chart) => chart.stack).map((chart) => chart.title)), { done, steps, seconds, state } = run;
  const shown = run.series.map((series, i) => [series, run.columns[i]]).filter(([{ group }]) => !stacked.has(group)).slice(0, tilesMax);
  const left = state === "running" && steps !== null && done > 0 && done < steps
    ? `about ${duration(seconds / done * (steps - done))} left`
    : "";
  const items = [...shown.map(([series, column]) => tileOf(series, column)), ["time", duration(seconds), "", left]];
  tiles.replaceChildren(
    ...items.map(([name, value, unit, note]) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, html("b", {}, value), unit && ` ${unit}`, html("span", {}, note)))
    ),
  );
}

function drawFacts() {
  facts.replaceChildren(
    ...run.facts.map(([name, value]) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, typeof value === "number" ? number(value) : value))
    ),
  );
  facts.parentElement.hidden = run.facts.length === 0;
}

function drawSamples() {
  samples.replaceChildren(
    ...run.samples.map(({ step, title, text }) =>
      html("figure", {}, html("figcaption", {}, [`${run.x.title} ${whole(step)}`, title].filter(Boolean).join(", ")), html("pre", {}, text))
    ),
  );
  samples.parentElement.hidden = run.samples.length === 0;
}

/** Pictures by name, each as large as it is, or several times, where it is small. */
function drawImages() {
  const names = [...new Set(run.pictures.map(({ name }) => name))];
  const show = ({ name, title, step, width, height, png }) => {
    const times = Math.max(1, Math.floor(112 / Math.max(width, height))),
      at = [title, `${run.x.title} ${whole(step)}`].filter(Boolean).join(", ");
    const size = { width: times * width, height: times * height, class: times > 1 ? "small" : "" };
    return html(
      "figure",
      { style: `width: ${Math.max(112, Math.min(320, size.width))}px` }, // so that what is written below a small one wraps
      html("img", { src: `data:image/png;base64,${png}`, alt: `${name}, ${at}`, ...size }),
      html("figcaption", {}, at),
    );
  };
  images.replaceChildren(...names.flatMap((name) => [
    html("h2", {}, name),
    html("div", { class: "images" }, ...run.pictures.filter((one) => one.name === name).map(show)),
  ]));
  images.hidden = names.length === 0;
}

/** About twenty rows, for those who would rather read than look. */
function drawTable() {
  const { first, last, every } = run, buckets = last === null ? 0 : bucketOf(last) + 1, rows = Math.min(buckets, 20);
  const columns = run.columns.map(filled), units = new Map(run.charts.map(({ title, unit }) => [title, unit]));
  const names = run.series.map(({ title, group }) => [title, units.get(group)].filter(Boolean).join(", "));
  let before = -1;
  const body = Array.from({ length: rows }, (_, row) => {
    const bucket = rows < 2 ? 0 : Math.round(row * (buckets - 1) / (rows - 1)), step = first + bucket * every;
    const cells = columns.map((column) => {
      const i = pointAt(column, step);
      return html("td", {}, i >= 0 && bucketOf(column.at[i]) > before ? number(column.mean[i]) : "");
    });
    before = bucket;
    return html("tr", {}, html("th", { scope: "row" }, whole(step)), ...cells);
  });
  table.replaceChildren(
    html("thead", {}, html("tr", {}, ...[run.x.title, ...names].map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, ...body),
  );
}

function drawAll() {
  buildCharts();
  drawHead();
  drawTiles();
  for (const view of views) draw(view);
  drawImages();
  drawSamples();
  drawFacts();
  drawTable();
}

// ── What is new ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether news come, or none are awaited. */
let listening = true;
const againMs = 3000;

/** Puts news in the place of what was there from their first bucket on. */
function take(news) {
  if (news.whole) return run = news;
  const columns = run.columns.map((column, i) => {
    const more = news.columns[i], end = column.at.findIndex((at) => bucketOf(at) >= news.from), stay = end < 0 ? column.at.length : end;
    return Object.fromEntries(Object.keys(more).map((part) => [part, [...column[part].slice(0, stay), ...more[part]]]));
  });
  const joined = (old, more, same) =>
    [...old.filter((one) => !more.some((other) => other.step === one.step && same(one, other))), ...more].sort((a, b) => a.step - b.step);
  run = {
    ...{ ...news, columns },
    samples: joined(run.samples, news.samples, (a, b) => a.title === b.title),
    pictures: joined(run.pictures, news.pictures, (a, b) => a.name === b.name && a.title === b.title),
  };
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

/** Loads a file again while its run goes on, unless somebody reads in it. */
function reloadLater(seconds) {
  setTimeout(() => {
    const { activeElement: active, body } = document, resting = active === null || active === body || active === reload;
    const quiet = cursor === null && resting && getSelection().isCollapsed && document.querySelector("details[open]") === null;
    if (reload.checked && quiet && !document.hidden) location.reload();
    else reloadLater(seconds);
  }, 1000 * seconds);
}

drawAll();
let width = main.clientWidth;
new ResizeObserver(() => {
  if (main.clientWidth === width) return;
  width = main.clientWidth;
  views.forEach(draw);
}).observe(main);
if (holder.dataset.events) listen(holder.dataset.events);
else if (run.state === "running" && holder.dataset.reload) reloadLater(Number(holder.dataset.reload));
