import { toErrorRecord } from '../../core/error.ts';
import { toPlainData } from '../../core/expression/data.ts';
import { pathTemplate, type PathVariables, type TemplateReader } from '../../core/expression/path-template.ts';
import { pathReader } from '../../core/expression/read-path.ts';
import type { Scope } from '../../core/expression/roots.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { HandoverProtocol, InheritanceRule } from '../../core/profile/profile.ts';
import type { StateQuotes } from '../../core/untrusted/quote-state.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import type { HandoverView } from './handover-scope.ts';

/** A briefing in the form posted to the receiving agent's inbox. */
export interface Briefing {
  readonly source: string;
  readonly payload: {
    readonly data: JsonObject;
    /** Describes `data` for renderers: key order, and titles as `x-handover-title`. */
    readonly schema_for_rendering: JsonObject;
  };
  /** Untrusted sources of what it quotes, framed. */
  readonly taint: Labels;
  /** Inheritance that was skipped because a condition failed, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Builds the briefing of a handover: the parameters the protocol declares, and the values its rules inherit (A1.11).
 *
 * A rule reads a `path` (literally, or with `{{ variables }}` filled in by `replace`), or a `path_to_iterate` once for each value
 * that `iterate_on` finds. Null and empty values are omitted; a condition that fails to evaluate counts as false. Messages marked
 * `noHandover` are never handed over. Untrusted text in inherited values is framed.
 *
 * @param shown the parameters as they are shown, when they quote untrusted text
 */
export function buildBriefing(
  protocol: HandoverProtocol,
  params: JsonObject,
  view: HandoverView,
  shown: JsonObject = params,
): Briefing {
  const { conditions, values } = view.for(params);
  const quotes = view.quotes();
  const properties: Record<string, JsonValue> = {};
  const data: Record<string, JsonValue> = {};
  for (const [key, schema] of Object.entries(propertiesOf(protocol.contextParameters))) {
    const value = shown[key];
    if (value === undefined || isEmpty(value)) continue;
    data[key] = value;
    properties[key] = schema ?? {};
  }
  const warnings: string[] = [];
  for (const rule of protocol.inheritance) {
    if (!conditionHolds(protocol, rule, conditions, warnings)) continue;
    const compiled = compiledRule(rule);
    const value = inherited(compiled, { values, quotes });
    if (isEmpty(value)) continue;
    data[rule.payloadKey] = value;
    properties[rule.payloadKey] = { ...compiled.schema };
  }
  const { 'x-handover-title': title } = protocol.contextParameters;
  const schema: JsonObject = { type: 'object', ...(title === undefined ? {} : { 'x-handover-title': title }), properties };
  return { source: protocol.targetSource, payload: { data, schema_for_rendering: schema }, taint: quotes.labels(), warnings };
}

function propertiesOf(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return isJsonObject(properties) ? properties : {};
}

function conditionHolds(protocol: HandoverProtocol, rule: InheritanceRule, scope: Scope, warnings: string[]): boolean {
  if (rule.condition === undefined) return true;
  try {
    return rule.condition.test(scope);
  } catch (error) {
    warnings.push(
      `handover ${protocol.name}: ${rule.payloadKey} was not inherited, its condition failed: ${toErrorRecord(error, 'CONDITION_FAILED').message}`,
    );
    return false;
  }
}

/** A rule, compiled once for all of its handovers: one dispatch may hand over a thousand times. */
interface CompiledRule {
  /** Describes the value for renderers. */
  readonly schema: JsonObject;
  readonly replace: readonly VariablePath[];
  readonly iterateOn: readonly VariablePath[];
  readonly path?: TemplateReader;
  readonly pathToIterate?: TemplateReader;
}

interface VariablePath {
  readonly variable: string;
  readonly read: (scope: unknown) => unknown;
}

/** Pure cache: keyed by a rule, which never changes. */
const compiledRules = new WeakMap<InheritanceRule, CompiledRule>();

function compiledRule(rule: InheritanceRule): CompiledRule {
  const known = compiledRules.get(rule);
  if (known !== undefined) return known;
  const parsed = (paths: Readonly<Record<string, string>> = {}): readonly VariablePath[] =>
    Object.entries(paths).map(([variable, path]) => ({ variable, read: pathReader(path) }));
  const compiled: CompiledRule = {
    schema: { ...rule.schema, ...(rule.title === undefined ? {} : { 'x-handover-title': rule.title }) },
    replace: parsed(rule.replace),
    iterateOn: parsed(rule.iterateOn),
    ...(rule.path === undefined ? {} : { path: pathTemplate(rule.path) }),
    ...(rule.pathToIterate === undefined ? {} : { pathToIterate: pathTemplate(rule.pathToIterate) }),
  };
  compiledRules.set(rule, compiled);
  return compiled;
}

/** Values to hand over, and the framing of untrusted text in them. */
interface Inheritance {
  readonly values: Scope;
  readonly quotes: StateQuotes;
}

function inherited({ replace, iterateOn, path, pathToIterate }: CompiledRule, from: Inheritance): JsonValue {
  const { values } = from;
  const rounds = pathToIterate === undefined ? undefined : roundsOf(iterateOn, from);
  if (rounds?.length === 0) return [];
  const fixed: PathVariables = Object.fromEntries(replace.map(({ variable, read }) => [variable, read(values)]));
  if (pathToIterate !== undefined && rounds !== undefined) return iterated(pathToIterate, rounds, fixed, from);
  return path === undefined ? null : handedOver(path, fixed, from);
}

/** One combination of values, and the same as it is shown. */
interface Round {
  readonly names: PathVariables;
  readonly shown: PathVariables;
}

/** Returns each combination of the values of these lists. */
function roundsOf(lists: readonly VariablePath[], { values, quotes }: Inheritance): readonly Round[] {
  let rounds: readonly Round[] = [{ names: {}, shown: {} }];
  for (const { variable, read } of lists) {
    const watch = quotes.watch(values);
    const list = read(watch.scope);
    if (!Array.isArray(list)) return [];
    const entries = list.map((entry: unknown) => ({ name: watch.unwrap(entry), shown: quotes.shown(watch, entry) }));
    rounds = rounds.flatMap(({ names, shown }) =>
      entries.map((entry) => ({ names: { ...names, [variable]: entry.name }, shown: { ...shown, [variable]: entry.shown } })),
    );
  }
  return rounds;
}

/** Reads the path once for each combination of values; joins lists, and lists other values with their variables. */
function iterated(path: TemplateReader, rounds: readonly Round[], fixed: PathVariables, from: Inheritance): JsonValue {
  const found: JsonValue[] = [];
  for (const { names, shown } of rounds) {
    const value = handedOver(path, { ...fixed, ...names }, from);
    if (isEmpty(value)) continue;
    if (Array.isArray(value)) found.push(...(value as readonly JsonValue[]));
    else found.push({ ...(toPlainData(shown) as JsonObject), value });
  }
  return found;
}

/** Reads a value as data; archived attempts that are read directly, alone or as a list, include their messages. */
function handedOver(path: TemplateReader, names: PathVariables, { values, quotes }: Inheritance): JsonValue {
  const watch = quotes.watch(values);
  const value = path(watch.scope, names);
  const shown = (each: unknown): unknown => {
    const data = quotes.shown(watch, each);
    if (typeof each !== 'object' || each === null || !Object.hasOwn(each, 'messages')) return data;
    const { messages } = each as { readonly messages: unknown };
    return typeof data === 'object' ? { ...data, messages: quotes.shown(watch, messages) } : data;
  };
  const whole: unknown = Array.isArray(value) ? Array.from(value, shown) : shown(value);
  return (toPlainData(whole) ?? null) as JsonValue;
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
