/**
 * What `--filter` chooses: whole groups, all groups under a tag, or single cases of either, by a text of their description.
 *
 * @module
 */

/** Groups by name, each with the tags that choose it too. */
export type Groups = Readonly<Record<string, { readonly tags: readonly string[] }>>;

/** A chosen group, and which of its cases are wanted. */
export interface Chosen<Name extends string> {
  readonly group: Name;
  wants(description: string): boolean;
}

/** What a filter chose. */
export interface Choice<Name extends string> {
  readonly chosen: readonly Chosen<Name>[];
  /** The wishes that no case has answered so far. */
  unmet(): string[];
}

/**
 * Reads a filter such as `rows`, `training` or `rows/softmax 4096,gemm`: names of groups or tags, each with a text after a slash where only the cases
 * that hold it are wanted. Without a filter all groups are chosen. Throws a RangeError for a name that is neither.
 */
export function choose<G extends Groups>(filter: string | undefined, groups: G): Choice<keyof G & string> {
  const names = Object.keys(groups), tags = [...new Set(Object.values(groups).flatMap((group) => group.tags))];
  const wishes = filter?.split(",").map((wish) => {
    const [, name, text] = /^([^/]*)\/?(.*)$/s.exec(wish)!;
    if (!names.includes(name) && !tags.includes(name)) {
      throw new RangeError(`--filter ${wish}: no group is called ${name}; there are ${[...names, ...tags].join(", ")}`);
    }
    return { wish, name, text, met: false };
  });
  const chosen: Chosen<keyof G & string>[] = [];
  for (const group of names) {
    const here = wishes?.filter(({ name }) => name === group || groups[group].tags.includes(name));
    if (here?.length === 0) continue;
    const wants = (description: string) => {
      const found = here?.filter(({ text }) => description.includes(text));
      found?.forEach((wish) => wish.met = true);
      return found === undefined || found.length > 0;
    };
    chosen.push({ group, wants });
  }
  return { chosen, unmet: () => wishes?.filter(({ met }) => !met).map(({ wish }) => wish) ?? [] };
}
