/** A tool as a prompt offers it. */
interface Offered {
  readonly name: string;
}

/** Returns the differences between two lists of offered tools in JSON: `gone: a; new: b; changed: c`. Undefined when there are none. */
export function toolChanges(before: string, after: string): string | undefined {
  const old = byName(before);
  const now = byName(after);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['gone', [...old.keys()].filter((name) => !now.has(name))],
    ['new', [...now.keys()].filter((name) => !old.has(name))],
    ['changed', [...now].flatMap(([name, text]) => (old.has(name) && old.get(name) !== text ? [name] : []))],
  ];
  const said = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(', ')}`);
  return said.length === 0 ? undefined : said.join('; ');
}

function byName(json: string): ReadonlyMap<string, string> {
  const list = JSON.parse(json) as readonly Offered[];
  return new Map(list.map((tool) => [tool.name, JSON.stringify(tool)]));
}
