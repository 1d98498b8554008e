import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts';
import type { HandoverProtocol } from '../core/profile/profile.ts';
import type { Tool } from '../core/tool/tool.ts';
import { argumentCheck } from './schema/check-arguments.ts';

/**
 * Merges a handover protocol's parameters into a tool's schema (A1.8): into the items of the first list of objects, if there is one, else
 * into the top level. `required` is the sorted union. A parameter that the tool declares at the top stays there, and only there (D1.4).
 */
export function mergeHandover(schema: JsonSchema, protocolSchema: JsonSchema): JsonSchema {
  const top = objectOf(schema['properties']);
  const list = Object.entries(top).find(([, property]) => takesObjects(property));
  if (list === undefined) return withParameters(schema, protocolSchema, () => true);
  const [key, property] = list;
  const inner = objectOf(property);
  const items = withParameters(objectOf(inner['items']), protocolSchema, (name) => !Object.hasOwn(top, name));
  const outer = withParameters(schema, protocolSchema, (name) => Object.hasOwn(top, name));
  return { ...outer, properties: { ...objectOf(outer['properties']), [key]: { ...inner, items } } };
}

/** Returns a tool whose arguments include the parameters of its handover protocol and are checked against them. */
export function withHandover(tool: Tool, protocol: HandoverProtocol): Tool {
  const parameters = mergeHandover(tool.parameters, protocol.contextParameters);
  const checkMerged = argumentCheck(parameters, `tool '${tool.name}' with protocol '${protocol.name}'`);
  return {
    ...tool,
    parameters,
    check: (args) => {
      const merged = checkMerged(args);
      return merged.ok ? tool.check(args) : merged;
    },
  };
}

/** Adds the parameters of another schema at the top level; parameters already declared stay as they are. */
export function mergeParameters(schema: JsonSchema, more: JsonSchema): JsonSchema {
  const own = objectOf(schema['properties']);
  return withParameters(schema, more, (name) => !Object.hasOwn(own, name));
}

function takesObjects(property: JsonValue | undefined): boolean {
  return (
    isJsonObject(property) &&
    property['type'] === 'array' &&
    isJsonObject(property['items']) &&
    isJsonObject(property['items']['properties'])
  );
}

function withParameters(schema: JsonObject, protocolSchema: JsonSchema, wanted: (name: string) => boolean): JsonObject {
  const added = Object.entries(objectOf(protocolSchema['properties'])).filter(([name]) => wanted(name));
  const required = namesOf(protocolSchema['required']).filter(wanted);
  const union = [...new Set([...namesOf(schema['required']), ...required])].sort();
  return {
    ...schema,
    properties: { ...objectOf(schema['properties']), ...Object.fromEntries(added) },
    ...(union.length === 0 ? {} : { required: union }),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function namesOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}
