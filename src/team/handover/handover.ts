import { toErrorRecord } from '../../core/error.ts';
import { toPlainData } from '../../core/expression/data.ts';
import { pathTemplate, type PathVariables, type TemplateReader } from '../../core/expression/path-template.ts';
import { pathReader } from '../../core/expression/read-path.ts';
import type { Scope } from '../../core/expression/roots.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { HandoverProtocol, InheritanceRule } from '../../core/profile/profile.ts';
import type { HandoverView } from './handover-scope.ts';

/** A briefing in the form posted to the receiving agent's inbox. */
export interface Briefing {
  readonly source: string;
  readonly payload: {
    readonly data: JsonObject;
    /** Describes `data` for renderers: key order, and titles as `x-handover-title`. */
    readonly schema_for_rendering: JsonObject;
  };
  /** Inheritance that was skipped because a condition failed, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Builds the briefing of a handover: the parameters the protocol declares, and the values its rules inherit (A1.11).
 *
 * A rule reads a `path` (literally, or with `{{ variables }}` filled in by `replace`), or a `path_to_iterate` once for each value
 * that `iterate_on` finds. Null and empty values are omitted; a condition that fails to evaluate counts as false. Messages marked
 * `noHandover` are never handed over.
 */
export function buildBriefing(protocol: HandoverProtocol, params: JsonObject, view: HandoverView): Briefing {
  const { conditions, values } = view.for(params);
  const properties: Record<string, JsonValue> = {};
  const data: Record<string, JsonValue> = {};
  for (const [key, schema] of Object.entries(propertiesOf(protocol.contextParameters))) {
    const value = params[key];
    if (value === undefined || isEmpty(value)) continue;
    data[key] = value;
    properties[key] = schema ?? {};
  }
  const warnings: string[] = [];
  for (const rule of protocol.inheritance) {
    if (!conditionHolds(protocol, rule, conditions, warnings)) continue;
    const compiled = compiledRule(rule);
    const value = inherited(compiled, values);
    if (isEmpty(value)) continue;
    data[rule.payloadKey] = value;
    properties[rule.payloadKey] = { ...compiled.schema };
  }
  const { 'x-handover-title': title } = protocol.contextParameters;
  const schema: JsonObject = { type: 'object', ...(title === undefined ? {} : { 'x-handover-title': title }), properties };
  return { source: protocol.targetSource, payload: { data, schema_for_rendering: schema }, warnings };
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

function inherited({ replace, iterateOn, path, pathToIterate }: CompiledRule, scope: Scope): JsonValue {
  const rounds = pathToIterate === undefined ? undefined : roundsOf(iterateOn, scope);
  if (rounds?.length === 0) return [];
  const fixed: PathVariables = Object.fromEntries(replace.map(({ variable, read }) => [variable, read(scope)]));
  if (pathToIterate !== undefined && rounds !== undefined) return iterated(pathToIterate, rounds, fixed, scope);
  return path === undefined ? null : toHandoverValue(path(scope, fixed));
}

/** Returns each combination of the values of these lists. */
function roundsOf(lists: readonly VariablePath[], scope: Scope): readonly PathVariables[] {
  let rounds: readonly PathVariables[] = [{}];
  for (const { variable, read } of lists) {
    const values = read(scope);
    if (!Array.isArray(values)) return [];
    rounds = rounds.flatMap((round) => values.map((value: unknown) => ({ ...round, [variable]: value })));
  }
  return rounds;
}

/** Reads the path once for each combination of values; joins lists, and lists other values with their variables. */
function iterated(path: TemplateReader, rounds: readonly PathVariables[], fixed: PathVariables, scope: Scope): JsonValue {
  const found: JsonValue[] = [];
  for (const round of rounds) {
    const value = toHandoverValue(path(scope, { ...fixed, ...round }));
    if (isEmpty(value)) continue;
    if (Array.isArray(value)) found.push(...(value as readonly JsonValue[]));
    else found.push({ ...(toPlainData(round) as JsonObject), value });
  }
  return found;
}

/** Converts a read value to data; archived attempts that are read directly, alone or as a list, include their messages. */
function toHandoverValue(value: unknown): JsonValue {
  const whole: unknown = Array.isArray(value) ? value.map(withMessages) : withMessages(value);
  return (toPlainData(whole) ?? null) as JsonValue;
}

function withMessages(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'messages')) return value;
  return { ...value, messages: (value as { readonly messages: unknown }).messages };
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
