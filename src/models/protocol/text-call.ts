import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Call found in a text; `problem` describes a call that cannot be parsed. */
export interface TextCall {
  readonly toolName: string;
  /** Argument text, parsed like that of any call. */
  readonly input: string;
  readonly problem?: string;
}

/** Text and calls of a reply in a text protocol. */
export interface ReadReply {
  readonly text: string;
  readonly calls: readonly TextCall[];
  readonly reasoning?: string;
}

/** Name of a call that names no tool. */
export const unreadableCall = 'unreadable_call';

// Characters kept of an unreadable call.
const keptChars = 2_000;

/** Builds an unreadable call from its text and its problem. */
export function brokenCall(written: string, problem: string, toolName = unreadableCall): TextCall {
  return { toolName, input: written.length > keptChars ? `${written.slice(0, keptChars).toWellFormed()}…` : written, problem };
}

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'action', 'action_type', 'type'] as const;
const argumentKeys = ['arguments', 'args', 'parameters', 'params', 'input', 'tool_args', 'action_input'] as const;

/** Returns the name in a call object under any usual key; undefined when there is none. */
export function nameIn(value: JsonObject): string | undefined {
  for (const key of nameKeys) {
    const name = own(value, key);
    if (typeof name === 'string' && name !== '') return name;
    if (isJsonObject(name) && typeof own(name, 'name') === 'string') return String(own(name, 'name'));
  }
  return undefined;
}

/** True when an object has arguments under one of the usual keys. */
export function hasArguments(value: JsonObject): boolean {
  return argumentKeys.some((key) => own(value, key) !== undefined) || isJsonObject(own(value, 'function'));
}

/** Builds a call from an object that names a tool; with `rest`, other keys become arguments when no key holds them. */
export function callOf(value: JsonObject, name: string, options: { readonly rest: boolean }): TextCall {
  const nested = own(value, 'function');
  const holder = isJsonObject(nested) ? nested : value;
  const key = argumentKeys.find((candidate) => own(holder, candidate) !== undefined);
  if (key !== undefined) return withInput(name, own(holder, key) ?? null);
  if (!options.rest) return { toolName: name, input: '{}' };
  const others = Object.entries(value).filter(([other, field]) => !(nameKeys.includes(other as 'name') && field === name));
  return withInput(name, Object.fromEntries(others));
}

/** Builds a call; arguments may be JSON text, as providers send them. */
function withInput(toolName: string, args: JsonValue): TextCall {
  if (typeof args === 'string') return { toolName, input: args };
  try {
    return { toolName, input: JSON.stringify(args) };
  } catch {
    // Parsed JSON can still be nested too deep to be stringified.
    return brokenCall('', 'the arguments are nested too deep', toolName);
  }
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
