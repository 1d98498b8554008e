import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** A call as it was found in a text; with a `problem`, what cannot be read of it. */
export interface TextCall {
  readonly toolName: string;
  /** Argument text, to be read like that of any call. */
  readonly input: string;
  readonly problem?: string;
}

/** What a reply in a text protocol says: words, and calls. */
export interface ReadReply {
  readonly text: string;
  readonly calls: readonly TextCall[];
  readonly reasoning?: string;
}

/** Stands for the name of a call that has none. */
export const unreadableCall = 'unreadable_call';

// What a call that cannot be read leaves of its text.
const keptChars = 2_000;

/** A call that cannot be read, with what was written and what is wrong with it. */
export function brokenCall(written: string, problem: string, toolName = unreadableCall): TextCall {
  return { toolName, input: written.length > keptChars ? `${written.slice(0, keptChars).toWellFormed()}…` : written, problem };
}

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'action', 'action_type', 'type'] as const;
const argumentKeys = ['arguments', 'args', 'parameters', 'params', 'input', 'tool_args', 'action_input'] as const;

/** The name a call object gives, whatever the key; undefined when it names none. */
export function nameIn(value: JsonObject): string | undefined {
  for (const key of nameKeys) {
    const name = own(value, key);
    if (typeof name === 'string' && name !== '') return name;
    if (isJsonObject(name) && typeof own(name, 'name') === 'string') return String(own(name, 'name'));
  }
  return undefined;
}

/** Tells whether an object has arguments under one of the usual keys. */
export function hasArguments(value: JsonObject): boolean {
  return argumentKeys.some((key) => own(value, key) !== undefined) || isJsonObject(own(value, 'function'));
}

/** A call from an object that names a tool; `rest` takes the object's other keys as arguments when there is no key for them. */
export function callOf(value: JsonObject, name: string, options: { readonly rest: boolean }): TextCall {
  const nested = own(value, 'function');
  const holder = isJsonObject(nested) ? nested : value;
  const key = argumentKeys.find((candidate) => own(holder, candidate) !== undefined);
  if (key !== undefined) return withInput(name, own(holder, key) ?? null);
  if (!options.rest) return { toolName: name, input: '{}' };
  const others = Object.entries(value).filter(([other, field]) => !(nameKeys.includes(other as 'name') && field === name));
  return withInput(name, Object.fromEntries(others));
}

/** Arguments may be given as JSON text of their own, as providers do. */
function withInput(toolName: string, args: JsonValue): TextCall {
  if (typeof args === 'string') return { toolName, input: args };
  try {
    return { toolName, input: JSON.stringify(args) };
  } catch {
    // What can be parsed can still be nested too deep to be written.
    return brokenCall('', 'the arguments are nested too deep', toolName);
  }
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
