import { createRequire } from 'node:module';
import type { ParsedArguments } from '../../core/env.ts';
import { describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, isDeeperThan, maxArgumentDepth } from '../../core/json.ts';
import type { ToolEffect } from '../../core/tool/tool-effect.ts';
import { readJson } from '../../core/read-json.ts';

/** Longest argument text, in characters. */
export const maxArgumentChars = 1024 * 1024;

/** Conditions that decide how strictly argument text is read. */
export interface ParseOptions {
  readonly effect: ToolEffect;
  /** True when the reply ended properly; arguments of a truncated reply are never used, even when they happen to parse. */
  readonly finishedCleanly: boolean;
}

/**
 * Parses a call's argument text exactly, as a JSON object (FAULTS M8, M9). Empty text, blanks and `null` give an empty object. Broken
 * text is repaired only for `pure` tools and only when its end is present; truncated text never is.
 */
export function parseArguments(input: string, options: ParseOptions): ParsedArguments {
  if (!options.finishedCleanly) return truncated('the reply was cut off, so the arguments may be incomplete');
  if (input.length > maxArgumentChars)
    return invalid(`the arguments have ${input.length} characters; ${maxArgumentChars} are allowed`);
  const text = input.trim();
  if (text === '') return { ok: true, args: {}, repaired: false };
  try {
    const value = parseJson(text) as JsonValue;
    const isPlain = flat.test(text) && !bigNumber.test(text);
    return isPlain ? { ok: true, args: value as JsonObject, repaired: false } : toArguments(value, false);
  } catch (thrown) {
    const open = openAtEnd(text);
    if (open) return truncated('the arguments end in the middle');
    const repaired = options.effect === 'pure' ? repair(text) : undefined;
    return repaired ?? invalid(`the arguments are not JSON (${describeThrown(thrown).slice(0, 200)}); write one JSON object`);
  }
}

/** Text of one object without nesting, as most arguments are, provided that it is JSON. */
const flat = /^\{[^{}[\]]*\}$/;

/** Text that may hold a number beyond the range of a double, which `JSON.parse` turns into infinity. */
const bigNumber = /\d[eE]\+?\d|\d{300}/;

function toArguments(value: JsonValue, repaired: boolean): ParsedArguments {
  if (value === null) return { ok: true, args: {}, repaired };
  if (!isJsonObject(value))
    return invalid(
      `the arguments are ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}; write one JSON object with named fields`,
    );
  if (isDeeperThan(value, maxArgumentDepth)) return invalid(`the arguments are nested deeper than ${maxArgumentDepth} levels`);
  if (hasEndlessNumber(value)) return invalid('a number is too large to be kept; write one that fits a double');
  return { ok: true, args: value, repaired };
}

function hasEndlessNumber(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && (Object.values(value) as JsonValue[]).some(hasEndlessNumber);
}

const load = createRequire(import.meta.url);

/** Repairs only text meant as an object, so that prose never turns into a value. */
function repair(text: string): ParsedArguments | undefined {
  const body = /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
  if (!body.startsWith('{') || !body.endsWith('}') || openAtEnd(body)) return undefined;
  try {
    const { jsonrepair } = load('jsonrepair') as typeof import('jsonrepair');
    const value = readJson(jsonrepair(body)) as JsonValue;
    const parsed = isJsonObject(value) ? toArguments(value, true) : undefined;
    return parsed?.ok === true ? parsed : undefined;
  } catch {
    // Beyond repair: the caller reports the problem of the original text.
    return undefined;
  }
}

/** True when a text ends inside a string, list or object. Single quotes count where a value or key may begin. */
function openAtEnd(text: string): boolean {
  let depth = 0;
  let quote = '';
  let previous = '';
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (quote !== '') {
      if (char === '\\') index += 1;
      else if (char === quote) quote = '';
      previous = char;
      continue;
    }
    if (char === '"' || (char === "'" && '{[,:'.includes(previous) && previous !== '')) quote = char;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (char.trim() !== '') previous = char;
  }
  return depth > 0 || quote !== '';
}

function invalid(message: string): ParsedArguments {
  return { ok: false, code: 'TOOL_ARGUMENTS_INVALID', message };
}

function truncated(what: string): ParsedArguments {
  return { ok: false, code: 'TOOL_ARGUMENTS_TRUNCATED', message: `${what}. Call the tool again with complete, shorter arguments` };
}
