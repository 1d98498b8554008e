import { toErrorRecord } from '../../core/error.ts';
import { toPlainData } from '../../core/expression/data.ts';
import { pathReader, readPath } from '../../core/expression/read-path.ts';
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
    const value = conditionHolds(protocol, rule, conditions, warnings) ? inherited(rule, values) : null;
    if (isEmpty(value)) continue;
    data[rule.payloadKey] = value;
    properties[rule.payloadKey] = { ...rule.schema, ...(rule.title === undefined ? {} : { 'x-handover-title': rule.title }) };
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

/** A rule with its fixed paths parsed: one dispatch may hand over a thousand times. */
interface RulePaths {
  readonly replace: readonly VariablePath[];
  readonly iterateOn: readonly VariablePath[];
}

interface VariablePath {
  readonly variable: string;
  readonly read: (scope: unknown) => unknown;
}

/** Pure cache: keyed by a rule, which never changes. */
const pathsOfRules = new WeakMap<InheritanceRule, RulePaths>();

function pathsOf(rule: InheritanceRule): RulePaths {
  const known = pathsOfRules.get(rule);
  if (known !== undefined) return known;
  const parsed = (paths: Readonly<Record<string, string>> = {}): readonly VariablePath[] =>
    Object.entries(paths).map(([variable, path]) => ({ variable, read: pathReader(path) }));
  const paths: RulePaths = { replace: parsed(rule.replace), iterateOn: parsed(rule.iterateOn) };
  pathsOfRules.set(rule, paths);
  return paths;
}

function inherited(rule: InheritanceRule, scope: Scope): JsonValue {
  const { replace, iterateOn } = pathsOf(rule);
  const rounds = rule.pathToIterate === undefined ? undefined : roundsOf(iterateOn, scope);
  if (rounds?.length === 0) return [];
  const fixed: Variables = Object.fromEntries(replace.map(({ variable, read }) => [variable, read(scope)]));
  if (rule.pathToIterate !== undefined && rounds !== undefined) return iterated(rule.pathToIterate, rounds, fixed, scope);
  const path = rule.path === undefined ? undefined : fillIn(rule.path, fixed);
  return path === undefined ? null : toHandoverValue(readPath(scope, path));
}

type Variables = Readonly<Record<string, unknown>>;

/** Returns each combination of the values of these lists. */
function roundsOf(lists: readonly VariablePath[], scope: Scope): readonly Variables[] {
  let rounds: readonly Variables[] = [{}];
  for (const { variable, read } of lists) {
    const values = read(scope);
    if (!Array.isArray(values)) return [];
    rounds = rounds.flatMap((round) => values.map((value: unknown) => ({ ...round, [variable]: value })));
  }
  return rounds;
}

/** Reads the path once for each combination of values; joins lists, and lists other values with their variables. */
function iterated(template: string, rounds: readonly Variables[], fixed: Variables, scope: Scope): JsonValue {
  const found: JsonValue[] = [];
  for (const round of rounds) {
    const path = fillIn(template, { ...fixed, ...round });
    const value = path === undefined ? null : toHandoverValue(readPath(scope, path));
    if (isEmpty(value)) continue;
    if (Array.isArray(value)) found.push(...(value as readonly JsonValue[]));
    else found.push({ ...(toPlainData(round) as JsonObject), value });
  }
  return found;
}

/** Fills values into a path; undefined when one is missing or contains path syntax, so that a parameter can name only one key. */
function fillIn(template: string, variables: Variables): string | undefined {
  let usable = true;
  const path = template.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, variable: string) => {
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    const key = typeof value === 'number' ? String(value) : value;
    if (typeof key === 'string' && key !== '' && !/[.[\]]/.test(key)) return key;
    usable = false;
    return '';
  });
  return usable ? path : undefined;
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
