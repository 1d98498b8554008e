import { plainName } from '../plain-name.ts';

/** Path, or beginning of a path, that matches a rule. */
export interface RuledPlace {
  /** Matched file or folder, in the spelling of the path, such as `sub/.git`. */
  readonly place: string;
  /** Group of the rule. */
  readonly group: string;
  /** The rule as it is written; undefined for a place that is ruled by its contents. */
  readonly rule?: string;
}

/** Rules about names of files and folders, in groups. */
export interface NameRules {
  /** Returns the group of the rule that matches a name in folders; all names as returned by `plainName`. */
  groupOf(folders: readonly string[], name: string): string | undefined;
  /**
   * Returns the group of a rule of several parts that has this name before its last part: a link with that name could lead to the files of
   * the rule under other names. Skips rules that do not begin with a dot, since their first part is a common name in projects.
   */
  groupOnWay(folders: readonly string[], name: string): string | undefined;
  /** Returns the shortest beginning of a clean relative path that matches a rule; undefined when none does. */
  placeIn(path: string): RuledPlace | undefined;
}

interface Rule {
  /** Parts before the last one, in reverse order. */
  readonly before: readonly string[];
  readonly group: string;
  readonly entry: string;
}

/**
 * Compiles rules: each matches a name, or several consecutive parts, anywhere in a path, with everything below. `*` matches any part of a
 * name; a rule that begins with `!` is an exception. Names are in lower case.
 */
export function compileNameRules(groups: Readonly<Record<string, readonly string[]>>): NameRules {
  const exact = new Map<string, Rule[]>();
  const patterns: { readonly test: RegExp; readonly rule: Rule }[] = [];
  const exceptions: RegExp[] = [];
  for (const [group, entries] of Object.entries(groups))
    for (const entry of entries) {
      const [last = '', ...before] = entry.replace(/^!/, '').split('/').toReversed();
      if (entry.startsWith('!')) exceptions.push(toRegExp(last));
      else if (last.includes('*')) patterns.push({ test: toRegExp(last), rule: { before, group, entry } });
      else exact.set(last, [...(exact.get(last) ?? []), { before, group, entry }]);
    }
  const anyPattern = new RegExp(patterns.map(({ test }) => test.source).join('|') || '$^', 's');
  const ruleOf = (folders: readonly string[], name: string): Rule | undefined => {
    const fits = ({ before }: Rule): boolean => before.every((part, index) => folders[folders.length - 1 - index] === part);
    const named = exact.get(name)?.find(fits);
    if (named === undefined && !anyPattern.test(name)) return undefined;
    const found = named ?? patterns.find(({ test, rule }) => test.test(name) && fits(rule))?.rule;
    return found === undefined || exceptions.some((exception) => exception.test(name)) ? undefined : found;
  };
  const groupOf: NameRules['groupOf'] = (folders, name) => ruleOf(folders, name)?.group;
  const ways = [...exact.values()].flat().concat(patterns.map(({ rule }) => rule));
  const groupOnWay = (folders: readonly string[], name: string): string | undefined =>
    ways.find(
      ({ before }) =>
        before.at(-1)?.startsWith('.') === true &&
        before.some(
          (part, at) =>
            part === name && before.slice(at + 1).every((above, index) => folders[folders.length - 1 - index] === above),
        ),
    )?.group;
  const placeIn = (path: string): RuledPlace | undefined => {
    const parts = path.split('/');
    const names = parts.map(plainName);
    for (const [at, name] of names.entries()) {
      const found = ruleOf(names.slice(0, at), name);
      if (found !== undefined) return { place: parts.slice(0, at + 1).join('/'), group: found.group, rule: found.entry };
    }
    return undefined;
  };
  return { groupOf, groupOnWay, placeIn };
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's');
}
