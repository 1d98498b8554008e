import { plainName } from '../plain-name.ts';

/** A path, or the beginning of one, that rules speak of. */
export interface RuledPlace {
  /** The file or folder that the rule names, as the path spells it, such as `sub/.git`. */
  readonly place: string;
  /** The group of the rule. */
  readonly group: string;
}

/** Rules about names of files and folders, in groups. */
export interface NameRules {
  /** The group of the rule that names a file, or folder, in folders; all as `plainName` gives them. */
  groupOf(folders: readonly string[], name: string): string | undefined;
  /**
   * The group of a rule of several parts whose way leads through this name: a link of that name could lead to what the rule is about without
   * anything being called so. Ways that do not begin with a dot are left out: those are words that folders of a project have.
   */
  groupOnWay(folders: readonly string[], name: string): string | undefined;
  /** The first part of a clean relative path that a rule names; undefined when there is none. */
  placeIn(path: string): RuledPlace | undefined;
}

interface Rule {
  /** The parts before the last one, from the last to the first. */
  readonly before: readonly string[];
  readonly group: string;
}

/**
 * Compiles rules: each stands for a name, or for several parts in a row, anywhere in a path, with all that lies below it. `*` is any part
 * of a name, and a rule that begins with `!` is an exception. Names are in lower case.
 */
export function compileNameRules(groups: Readonly<Record<string, readonly string[]>>): NameRules {
  const exact = new Map<string, Rule[]>();
  const patterns: { readonly test: RegExp; readonly rule: Rule }[] = [];
  const exceptions: RegExp[] = [];
  for (const [group, entries] of Object.entries(groups))
    for (const entry of entries) {
      const [last = '', ...before] = entry.replace(/^!/, '').split('/').toReversed();
      if (entry.startsWith('!')) exceptions.push(toRegExp(last));
      else if (last.includes('*')) patterns.push({ test: toRegExp(last), rule: { before, group } });
      else exact.set(last, [...(exact.get(last) ?? []), { before, group }]);
    }
  const anyPattern = new RegExp(patterns.map(({ test }) => test.source).join('|') || '$^', 's');
  const groupOf = (folders: readonly string[], name: string): string | undefined => {
    const fits = ({ before }: Rule): boolean => before.every((part, index) => folders[folders.length - 1 - index] === part);
    const named = exact.get(name)?.find(fits);
    if (named === undefined && !anyPattern.test(name)) return undefined;
    const found = named ?? patterns.find(({ test, rule }) => test.test(name) && fits(rule))?.rule;
    return found === undefined || exceptions.some((exception) => exception.test(name)) ? undefined : found.group;
  };
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
      const group = groupOf(names.slice(0, at), name);
      if (group !== undefined) return { place: parts.slice(0, at + 1).join('/'), group };
    }
    return undefined;
  };
  return { groupOf, groupOnWay, placeIn };
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's');
}
