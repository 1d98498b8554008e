import { toErrorRecord } from '../../core/error.ts';
import { toPlainData } from '../../core/expression/data.ts';
import { readPath } from '../../core/expression/read-path.ts';
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

function inherited(rule: InheritanceRule, scope: Scope): JsonValue {
  const fixed = lookUp(rule.replace ?? {}, scope);
  if (rule.pathToIterate !== undefined) return iterated(rule.pathToIterate, rule.iterateOn ?? {}, fixed, scope);
  const path = rule.path === undefined ? undefined : fillIn(rule.path, fixed);
  return path === undefined ? null : toHandoverValue(readPath(scope, path));
}

type Variables = Readonly<Record<string, unknown>>;

/** Reads the path once for each combination of values; joins lists, and lists other values with their variables. */
function iterated(template: string, iterateOn: Readonly<Record<string, string>>, fixed: Variables, scope: Scope): JsonValue {
  let rounds: readonly Variables[] = [{}];
  for (const [variable, listPath] of Object.entries(iterateOn)) {
    const values = readPath(scope, listPath);
    const list: readonly unknown[] = Array.isArray(values) ? values : [];
    rounds = rounds.flatMap((round) => list.map((value) => ({ ...round, [variable]: value })));
  }
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

function lookUp(paths: Readonly<Record<string, string>>, scope: Scope): Variables {
  return Object.fromEntries(Object.entries(paths).map(([variable, path]) => [variable, readPath(scope, path)]));
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
