import { closestName } from '../../core/expression/closest-name.ts';
import type { Expression } from '../../core/expression/expression.ts';
import type { CompiledProfile, Diagnostic, ProfileSet } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import { globalStrategies } from '../../core/inbox/strategy.ts';
import { baseType } from '../compile/base-type.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import { nameHint, quote } from '../wording.ts';
import { type Comparison, comparisonsOf, type ValueKind, kindOfValue } from './comparisons.ts';
import { failureAtStart } from './empty-scope.ts';

/** Known tool names, and prefixes of tools that are only known once their toolset is connected. */
export interface AdviceNames {
  readonly tools: ReadonlySet<string>;
  readonly toolPrefixes: readonly string[];
}

interface Condition {
  readonly expression: Expression;
  readonly source: SourceRef;
}

interface Advisor extends AdviceNames {
  readonly writes: Writes;
  readonly sources: ReadonlySet<string>;
  readonly warn: (code: DiagnosticCode, source: SourceRef, message: string, hint?: string) => void;
}

/**
 * Warns of profiles that load but probably do not do what was meant: conditions that read values nothing writes, compare with an
 * unknown name or another type, or fail before the first turn; strategies for misspelled sources; profiles without instructions.
 * Warnings only, since code may write, post and define more than the files show.
 */
export function adviseOnProfiles(set: ProfileSet, names: AdviceNames): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const profiles = [...set.profiles.values()];
  const advisor: Advisor = {
    ...names,
    writes: writesOf(profiles),
    sources: postedSources(set),
    warn: (code, source, message, hint) => {
      const key = `${source.file}:${source.line}:${source.column} ${message}`;
      // Several profiles may inherit the same mistake: report it once.
      if (!found.has(key)) found.set(key, { severity: 'warning', code, message, source, ...(hint === undefined ? {} : { hint }) });
    },
  };
  for (const profile of profiles) if (profile.type !== baseType && !profile.isDeleted) advise(advisor, profile);
  return [...found.values()];
}

function advise(advisor: Advisor, profile: CompiledProfile): void {
  const { name, source, segments, functionNode, planner } = profile;
  if (segments.length === 0 && functionNode === undefined && planner === undefined)
    advisor.warn(
      'NO_INSTRUCTIONS',
      source,
      `profile ${quote(name)} has no instructions: its model is sent an empty system prompt`,
      'write instructions: | with what the agent is to do',
    );
  for (const own of profile.strategies.keys())
    adviseOnSource(advisor, own, { place: strategyPlace(profile, own), what: 'a strategy is for' });
  for (const condition of conditionsOf(profile)) adviseOnCondition(advisor, condition);
}

/** Returns the conditions written in the profile's files, with their places. */
function conditionsOf(profile: CompiledProfile): readonly Condition[] {
  const lists = [
    ['pre_turn_observers', profile.preTurnObservers],
    ['post_turn_observers', profile.postTurnObservers],
    ['flow_decider', profile.flowDecider],
    ['system_prompt_construction.system_prompt_segments', profile.segments],
  ] as const;
  return lists.flatMap(([key, items]) =>
    items.flatMap(({ id, condition }) => {
      const source = profile.origins.get(`${key}[${id}].condition`);
      return condition === undefined || source === undefined ? [] : [{ expression: condition, source }];
    }),
  );
}

function strategyPlace(profile: CompiledProfile, source: string): SourceRef {
  const listed = profile.resolved['inbox_handling_strategies'];
  const index = Array.isArray(listed)
    ? listed.findIndex((item) => typeof item === 'object' && item !== null && 'source' in item && item['source'] === source)
    : -1;
  return profile.origins.get(`inbox_handling_strategies[${index}].source`) ?? profile.source;
}

function adviseOnCondition(advisor: Advisor, condition: Condition): void {
  const { expression, source } = condition;
  for (const path of expression.paths) adviseOnPath(advisor, path, source);
  const comparisons = comparisonsOf(expression.source, advisor.writes.kinds);
  for (const comparison of comparisons) adviseOnComparison(advisor, comparison, source);
  const isMixed = comparisons.some(({ kinds }) => differs(kinds));
  const failure = isMixed ? undefined : failureAtStart(expression);
  if (failure !== undefined)
    advisor.warn('CONDITION_FAILS', source, `the condition fails before anything has happened, and counts as false: ${failure}`);
}

function adviseOnPath({ writes, warn }: Advisor, path: string, source: SourceRef): void {
  const [, root = '', name = ''] = /(?:^|\.)(flags|values)\.([^.[]+)/.exec(path) ?? [];
  if (name === '' || writes.isOpen) return;
  const known = root === 'flags' ? writes.flags : writes.values;
  if (known.has(name)) return;
  const meant = closestName(name, known);
  // Tools set values that no file mentions; they set no flags.
  if (root === 'values' && meant === undefined) return;
  const hint = meant === undefined ? 'an observer with update_state writes flags' : `did you mean ${quote(`${root}.${meant}`)}?`;
  warn('NEVER_WRITTEN', source, `nothing writes ${quote(`${root}.${name}`)}`, hint);
}

function adviseOnComparison(advisor: Advisor, { path, texts, kinds }: Comparison, source: SourceRef): void {
  if (differs(kinds)) {
    const [left, right] = kinds;
    const what = `the condition compares ${path === undefined ? `a ${left}` : `${quote(path)}, a ${left},`} with a ${right}`;
    const hint = kinds.includes('number') && kinds.includes('text') ? 'write numbers without quotes' : undefined;
    advisor.warn('NEVER_TRUE', source, what, hint);
    return;
  }
  if (path === undefined) return;
  for (const text of texts) {
    if (/(?:^|\.)tool_name$/.test(path)) adviseOnTool(advisor, text, source);
    if (path.endsWith('.source')) adviseOnSource(advisor, text, { place: source, what: 'the condition compares with' });
  }
}

function adviseOnTool({ tools, toolPrefixes, warn }: Advisor, name: string, source: SourceRef): void {
  if (tools.has(name) || toolPrefixes.some((prefix) => name.startsWith(prefix))) return;
  warn(
    'UNKNOWN_TOOL',
    source,
    `the condition compares with ${quote(name)}, and there is no such tool`,
    nameHint(name, tools, 'known tools'),
  );
}

/**
 * Warns of a source that looks like a misspelling of a known one. Other unknown sources are allowed: code may post under any name.
 */
function adviseOnSource(
  { sources, warn }: Advisor,
  name: string,
  { place, what }: { readonly place: SourceRef; readonly what: string },
): void {
  if (globalStrategies.has(name) || sources.has(name)) return;
  const meant = closestName(name, [...globalStrategies.keys(), ...sources]);
  if (meant === undefined) return;
  warn(
    'UNKNOWN_SOURCE',
    place,
    `${what} the source ${quote(name)}, which nothing in these files posts`,
    `did you mean ${quote(meant)}?`,
  );
}

function differs([left, right]: readonly [ValueKind | undefined, ValueKind | undefined]): boolean {
  return left !== undefined && right !== undefined && left !== right;
}

/** Names that the observers of a profile set write into state. */
interface Writes {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  /** Kind of value at each path, such as `flags.n`, where all writers agree. */
  readonly kinds: ReadonlyMap<string, ValueKind>;
  /** True when some observers are written in code, so the full list of writes is unknown. */
  readonly isOpen: boolean;
}

/** Collects the names that declarative observers write. */
function writesOf(profiles: readonly CompiledProfile[]): Writes {
  const actions = profiles.flatMap((profile) =>
    [...profile.preTurnObservers, ...profile.postTurnObservers].map(({ action }) => action),
  );
  const updates = actions.flatMap((action) => (action.type === 'update_state' ? action.updates : []));
  const names = (root: string): ReadonlySet<string> =>
    new Set(updates.flatMap(({ path }) => (path.startsWith(`${root}.`) ? [path.split('.')[1] ?? ''] : [])));
  const seen = new Map<string, Set<ValueKind | undefined>>();
  for (const { operation, path, value } of updates) {
    if (operation === 'remove') continue;
    const written = value?.constant === true ? kindOfValue(value.build({})) : undefined;
    const kind = operation === 'increment' ? 'number' : operation === 'set' ? written : undefined;
    seen.set(path, (seen.get(path) ?? new Set()).add(kind));
  }
  const kinds = new Map<string, ValueKind>();
  for (const [path, [kind, ...others]] of seen) if (kind !== undefined && others.length === 0) kinds.set(path, kind);
  return { flags: names('flags'), values: names('values'), kinds, isOpen: actions.some(({ type }) => type === 'call') };
}

/** Returns the sources that the profiles and handovers of a set post under. */
function postedSources({ profiles, protocols }: ProfileSet): ReadonlySet<string> {
  const posted = new Set([...protocols.values()].map(({ targetSource }) => targetSource));
  for (const { preTurnObservers, postTurnObservers, flowDecider } of profiles.values())
    for (const { action } of [...preTurnObservers, ...postTurnObservers, ...flowDecider])
      if (action.type === 'add_to_inbox' || action.type === 'loop_with_inbox_item') posted.add(action.item.source);
  return posted;
}
