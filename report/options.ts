/** What a report is told before a run: its series, and the charts that they make. */

import { RangeError, TypeError } from "../core/errors.ts";
import { checkSize, formatValue } from "../core/shape.ts";

/** One series of numbers over the steps of a run. Series of one `group` share a chart, its unit and its axis. */
export interface SeriesOptions {
  /** What readers see. The series' name. */
  readonly title?: string | undefined;
  /** The unit of its values, such as `"nats/byte"` or `"%"`. None. */
  readonly unit?: string | undefined;
  /** The chart's y axis. On `"log"` values of 0 or less lie below the chart. `"linear"`. */
  readonly scale?: "linear" | "log" | undefined;
  /** The title of the chart that it is drawn in, together with all other series of that group. A chart of its own. */
  readonly group?: string | undefined;
  /** `"line"` joins the values; `"points"` also marks each one, for what is measured only now and then. `"line"`. */
  readonly kind?: "line" | "points" | undefined;
  /** Draws the mean over about a fortieth of the run as the main line, and each value faintly. On for lines of 80 values and more. */
  readonly smooth?: boolean | undefined;
  /** Lets a linear y axis include 0. Off. */
  readonly zero?: boolean | undefined;
  /** Draws the group's series as shares of their sum, one above the other. Off. */
  readonly stack?: boolean | undefined;
  /** Gives the chart the whole width of a wide screen. Off. */
  readonly wide?: boolean | undefined;
  /** Shows the best value so far and its step beside the latest one. */
  readonly best?: "lowest" | "highest" | undefined;
  /** A dashed line at a value that is worth comparing with, such as that of guessing. */
  readonly reference?: { readonly value: number; readonly title?: string | undefined } | undefined;
}

/** The x axis of all charts. */
export interface StepOptions {
  /** What a step is. `"step"`. */
  readonly title?: string | undefined;
  /** On `"log"` step 0 stands where step 1 does. `"linear"`. */
  readonly scale?: "linear" | "log" | undefined;
}

/** Names and values, shown in this order. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** What a series is in the data of a report. */
export interface SeriesData {
  readonly name: string;
  readonly title: string;
  readonly kind: "line" | "points";
  readonly smooth: boolean;
  readonly best: "lowest" | "highest" | null;
  readonly reference: { readonly value: number; readonly title: string } | null;
  /** The title of its chart. */
  readonly group: string;
}

/** What a chart is in the data of a report. */
export interface ChartData {
  readonly title: string;
  readonly unit: string;
  readonly scale: "linear" | "log";
  readonly zero: boolean;
  readonly stack: boolean;
  readonly wide: boolean;
}

/** What options may hold, by name. */
export type Kinds<Name extends string = string> = Readonly<Record<Name, "string" | "boolean" | "number" | "object" | readonly string[]>>;

const scales = ["linear", "log"];
const seriesKinds: Kinds<keyof SeriesOptions> = {
  ...{ title: "string", unit: "string", scale: scales, group: "string", kind: ["line", "points"], smooth: "boolean", zero: "boolean" },
  ...{ stack: "boolean", wide: "boolean", best: ["lowest", "highest"], reference: "object" },
};
const stepKinds: Kinds<keyof StepOptions> = { title: "string", scale: scales };
const referenceKinds: Kinds = { value: "number", title: "string" };

/** Checks that an object holds nothing but what `kinds` names, each of its kind. */
export function checkKinds(op: string, name: string, value: unknown, kinds: Kinds): void {
  const names = Object.keys(kinds);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`${op}: ${name} must be an object { ${names.join(", ")} }, got ${formatValue(value)}`);
  }
  for (const [key, one] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key]! : undefined, path = name === "options" ? key : `${name}.${key}`;
    if (kind === undefined) throw new TypeError(`${op}: there is no option ${path}; there are ${names.join(", ")}`);
    if (one === undefined) continue;
    if (typeof kind === "string" ? typeof one === kind && one !== null : kind.includes(one)) continue;
    const wanted = typeof kind === "string"
      ? `a ${kind}`.replace("a object", "an object")
      : kind.map((k) => JSON.stringify(k)).join(" or ");
    throw new TypeError(`${op}: ${path} must be ${wanted}, got ${formatValue(one)}`);
  }
}

/** The x axis of options. */
export function stepsOf(op: string, x: StepOptions = {}): Required<{ title: string; scale: "linear" | "log" }> {
  checkKinds(op, "x", x, stepKinds);
  return { title: x.title ?? "step", scale: x.scale ?? "linear" };
}

/** Facts as they are shown. */
export function factsOf(op: string, facts: Facts = {}): [string, string | number][] {
  if (typeof facts !== "object" || facts === null) throw new TypeError(`${op}: facts must be an object, got ${formatValue(facts)}`);
  return Object.entries(facts).map(([name, value]) => {
    if (typeof value === "boolean") return [name, value ? "yes" : "no"];
    if (typeof value !== "string" && typeof value !== "number") {
      throw new TypeError(`${op}: facts.${name} must be a string, number or boolean, got ${formatValue(value)}`);
    }
    return [name, Number.isFinite(value) ? value : `${value}`];
  });
}

/** The series of options, and the charts that they make. */
export function seriesOf(op: string, options: Readonly<Record<string, SeriesOptions>>): { series: SeriesData[]; charts: ChartData[] } {
  if (typeof options !== "object" || options === null || Object.keys(options).length === 0) {
    throw new TypeError(`${op}: series must be an object with at least one series, such as { loss: {} }, got ${formatValue(options)}`);
  }
  const shared = new Map<string, SharedOptions>();
  const series = Object.entries(options).map(([name, one]): SeriesData => {
    checkKinds(op, `series.${name}`, one, seriesKinds);
    const { title = name, kind = "line", reference, best = null } = one, group = one.group ?? title;
    if (reference) checkKinds(op, `series.${name}.reference`, reference, referenceKinds);
    if (reference && !Number.isFinite(reference.value)) {
      throw new RangeError(`${op}: series.${name}.reference.value must be finite, got ${formatValue(reference.value)}`);
    }
    shared.set(group, merged(op, name, group, shared.get(group) ?? {}, one));
    const line = reference ? { value: reference.value, title: reference.title ?? `reference` } : null;
    return { name, title, kind, smooth: one.smooth ?? kind === "line", best, reference: line, group };
  });
  const charts = [...shared].map(([title, { unit = "", scale = "linear", zero = false, stack = false, wide = false }]) => (
    { title, unit, scale, zero, stack, wide }
  ));
  return { series, charts };
}

const sharedNames = ["unit", "scale", "zero", "stack", "wide"] as const;
type SharedOptions = Pick<SeriesOptions, (typeof sharedNames)[number]>;

/** What the series of a group say of their chart, with one more series; they may not disagree. */
function merged(op: string, name: string, group: string, chart: SharedOptions, one: SeriesOptions): SharedOptions {
  for (const key of sharedNames) {
    if (one[key] !== undefined && chart[key] !== undefined && one[key] !== chart[key]) {
      throw new TypeError(
        `${op}: series.${name}.${key} is ${JSON.stringify(one[key])}, but another series of ${JSON.stringify(group)} has ` +
          `${JSON.stringify(chart[key])}: series of one group share a chart`,
      );
    }
  }
  const given = Object.fromEntries(sharedNames.filter((key) => one[key] !== undefined).map((key) => [key, one[key]]));
  return { ...chart, ...given };
}

/** A step: a whole number from 0. */
export function checkStep(op: string, step: number): number {
  return checkSize(op, "step", step);
}
