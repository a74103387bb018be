/** Draws a run's losses as an SVG picture: every step faintly, their moving average, and the held-out loss. */

/** What is drawn. Steps that have no value yet are NaN. */
export interface Curve {
  readonly title: string;
  /** The loss of each step. */
  readonly train: ArrayLike<number>;
  /** The held-out loss before a step: [step, loss]. */
  readonly heldOut: readonly Point[];
}

type Point = readonly [step: number, loss: number];

const width = 800, height = 450;
const plot = { left: 64, right: width - 24, top: 56, bottom: height - 52 };
// Blue and vermilion of Okabe and Ito's palette, which colour-blind readers tell apart.
const trainColour = "#0072b2", heldOutColour = "#d55e00";

/** The picture as SVG text, on a white ground of its own, so that it is legible on dark pages too. */
export function lossCurve({ title, train, heldOut }: Curve): string {
  const steps = Math.max(1, train.length);
  const points = Array.from(train, (loss, step): Point => [step, loss]).filter(([, loss]) => Number.isFinite(loss));
  const marks = heldOut.filter(([, loss]) => Number.isFinite(loss));
  const losses = [...points, ...marks].map(([, loss]) => loss);
  const min = losses.reduce((a, b) => Math.min(a, b), 5), max = losses.reduce((a, b) => Math.max(a, b), min + 1);
  const xTicks = multiples(Math.max(1, round(steps / 8)), 0, steps, Math.floor);
  const yTicks = multiples(round((max - min) / 10), min, max, Math.ceil);
  const [low, high] = [yTicks[0]!, yTicks[yTicks.length - 1]!];
  const x = (step: number) => (plot.left + (plot.right - plot.left) * step / steps).toFixed(1);
  const y = (loss: number) => (plot.bottom - (plot.bottom - plot.top) * (loss - low) / (high - low)).toFixed(1);
  const path = (of: readonly Point[]) => of.map(([step, loss], i) => `${i === 0 ? "M" : "L"}${x(step)} ${y(loss)}`).join("");
  const last = marks[marks.length - 1];

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="#333">
<title>${escape(title)}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${plot.left}" y="26" font-size="16" font-weight="600">${escape(title)}</text>
<g stroke="#e3e3e3">
${yTicks.map((tick) => `<path d="M${plot.left} ${y(tick)}H${plot.right}"/>`).join("\n")}
</g>
<g text-anchor="end">
${yTicks.map((tick) => `<text x="${plot.left - 10}" y="${y(tick)}" dy=".35em">${format(tick, yTicks)}</text>`).join("\n")}
</g>
<g text-anchor="middle">
${xTicks.map((tick) => `<text x="${x(tick)}" y="${plot.bottom + 20}">${format(tick, xTicks)}</text>`).join("\n")}
<text x="${(plot.left + plot.right) / 2}" y="${height - 10}">step</text>
<text transform="translate(18 ${(plot.top + plot.bottom) / 2}) rotate(-90)">loss, nats a byte</text>
</g>
<path d="M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}${
    xTicks.map((tick) => `M${x(tick)} ${plot.bottom}v5`).join("")
  }" fill="none" stroke="#333"/>
<g fill="none" stroke="${trainColour}" stroke-linejoin="round">
<path d="${path(thinned(points))}" opacity=".25"/>
<path d="${path(thinned(smoothed(points)))}" stroke-width="2.5"/>
</g>
<g fill="${heldOutColour}">
<path d="${path(marks)}" fill="none" stroke="${heldOutColour}" stroke-dasharray="3 4"/>
${marks.map(([step, loss]) => `<circle cx="${x(step)}" cy="${y(loss)}" r="4.5"/>`).join("\n")}
${
    last === undefined
      ? ""
      : `<text x="${x(last[0])}" y="${y(last[1])}" dy="-12" text-anchor="end" font-weight="600">${last[1].toFixed(3)}</text>`
  }
</g>
<g transform="translate(${plot.right - 250} ${plot.top + 14})">
<path d="M-12 -12h252v48h-252z" fill="#fff"/>
<path d="M0 0h28" stroke="${trainColour}" stroke-width="2.5"/><text x="38" dy=".35em">training, moving average</text>
<circle cx="14" cy="24" r="4.5" fill="${heldOutColour}"/><text x="38" y="24" dy=".35em">held-out text</text>
</g>
</svg>
`;
}

/** The mean over about a fortieth of the run around each point. */
function smoothed(points: readonly Point[]): Point[] {
  const reach = Math.ceil(points.length / 80);
  const sums = [0];
  for (const [, loss] of points) sums.push(sums[sums.length - 1]! + loss);
  return points.map(([step], i) => {
    const near = Math.min(reach, i, points.length - 1 - i); // narrower towards the ends, so that they stay in place
    return [step, (sums[i + near + 1]! - sums[i - near]!) / (2 * near + 1)];
  });
}

/** At most as many points as the picture can show. */
function thinned(points: readonly Point[]): readonly Point[] {
  const every = Math.ceil(points.length / 1600);
  return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}

/** The next of 1, 2, 5, 10, 20, 50, … and their decimal fractions that is not smaller. */
function round(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5].map((factor) => factor * power).find((one) => one >= size) ?? 10 * power;
}

/** The multiples of a number from just below `low` to just below or above `high`, as `end` rounds. */
function multiples(step: number, low: number, high: number, end: (x: number) => number): number[] {
  const first = Math.floor(low / step), last = end(high / step);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function format(tick: number, all: readonly number[]): string {
  const digits = all.length < 2 ? 0 : Math.max(0, -Math.floor(Math.log10(all[1]! - all[0]!) + 1e-9));
  return tick.toFixed(digits);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
