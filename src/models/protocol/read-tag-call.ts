import { isJsonObject, type JsonSchema } from '../../core/json.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { tryJson } from './json-span.ts';
import { brokenCall, type TextCall } from './text-call.ts';

// `<function=NAME>`, `<invoke name="NAME">`, or `<NAME>`, which counts only inside `<tool_call>`.
const start =
  /<(?:function\s*=\s*"?([\w.-]{1,100})"?|invoke\s+name\s*=\s*["']([^"'<>\n]{1,100})["']|([A-Za-z_][\w.-]{0,99}))\s*>/iy;
const parameter =
  /\s*<(?:parameter\s*=\s*"?([\w.-]{1,200})"?|parameter\s+name\s*=\s*["']([^"'<>\n]{1,200})["']|([A-Za-z_][\w.-]{0,199}))\s*>/iy;

/** Parses the opening tag of a call with tagged parameters at this position. */
export function tagCallStart(
  text: string,
  at: number,
): { readonly name: string; readonly tag: string; readonly inside: number } | undefined {
  start.lastIndex = at;
  const match = start.exec(text);
  if (match === null) return undefined;
  const tag = match[1] !== undefined ? 'function' : match[2] !== undefined ? 'invoke' : (match[3] ?? '');
  return { name: match[1] ?? match[2] ?? match[3] ?? '', tag, inside: start.lastIndex };
}

/** Parses a call whose parameters are tags. Values are texts; where the tool's schema has another type, they are parsed as JSON. */
export function readTagCall(
  text: string,
  at: number,
  tools: readonly OfferedTool[],
): { readonly calls: readonly TextCall[]; readonly end: number } {
  const begun = tagCallStart(text, at);
  if (begun === undefined) return { calls: [brokenCall(text.slice(at), 'the call has no readable name')], end: text.length };
  const { name, tag } = begun;
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  const found = new Map<string, unknown>();
  let place = begun.inside;
  for (;;) {
    const end = closedBy(text, place, tag);
    if (end !== undefined) return { calls: [{ toolName: name, input: JSON.stringify(Object.fromEntries(found)) }], end };
    parameter.lastIndex = place;
    const match = parameter.exec(text);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    const closing = match?.[3] === undefined ? '</parameter>' : `</${match[3]}>`;
    const close = key === undefined ? -1 : text.indexOf(closing, parameter.lastIndex);
    const problem =
      close === -1
        ? `the call of ${name} is not complete: each parameter and the call need a closing tag`
        : found.has(key ?? '')
          ? `the parameter ${key ?? ''} of ${name} is given twice`
          : undefined;
    if (problem !== undefined) return { calls: [brokenCall(text.slice(at), problem, name)], end: text.length };
    found.set(key ?? '', valueOf(text.slice(parameter.lastIndex, close), key ?? '', schema));
    place = close + closing.length;
  }
}

function closedBy(text: string, at: number, tag: string): number | undefined {
  const closing = new RegExp(`\\s*</${RegExp.escape(tag)}\\s*>`, 'iy');
  closing.lastIndex = at;
  return closing.test(text) ? closing.lastIndex : undefined;
}

function valueOf(written: string, key: string, schema: JsonSchema | undefined): unknown {
  const text = written.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  const properties = schema?.['properties'];
  const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (mayBeText(property)) return text;
  const value = tryJson(text);
  return value === undefined ? text : value;
}

/** True when a schema accepts a text, which is then taken literally. */
function mayBeText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, anyOf, oneOf, enum: choices } = schema;
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return true;
  if (Array.isArray(choices)) return choices.some((choice) => typeof choice === 'string');
  return [anyOf, oneOf].some((options) => Array.isArray(options) && options.some(mayBeText));
}
