import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts';
import type { HandoverProtocol } from '../core/profile/profile.ts';
import type { Tool } from '../core/tool/tool.ts';
import { argumentCheck } from './schema/check-arguments.ts';

/**
 * A tool's schema with what a handover protocol asks the caller for (A1.8): merged into the items of the first list of
 * objects, when the tool takes one, else into the top level; `required` is the sorted union. A parameter that the tool
 * itself declares at the top stays there, and only there (D1.4).
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

/** A tool whose arguments include what its handover protocol asks for, and are checked for it. */
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

/** A schema with the parameters of another at its top; those it declares itself stay as they are. */
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
