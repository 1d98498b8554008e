import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { endOfJson, tryJson } from './json-span.ts';
import { fencesOf, quoteChecker, quotedRanges } from './quoted-ranges.ts';
import { brokenCall, callOf, hasArguments, nameIn, type ReadReply, type TextCall } from './text-call.ts';

// Positions searched for a call, so that hostile text costs no more than a few passes.
const mostPlaces = 32;

/**
 * Parses the calls of a reply in `loose_json`: the first JSON object, or list of objects, that names one of the model's tools.
 * Skips quoted text, except a fenced block at the end of the reply, where models put their calls. Text that is nearly JSON is
 * passed on unchanged: only tools without effects run on repaired arguments.
 */
export function readLooseJson(reply: string, tools: readonly OfferedTool[]): ReadReply {
  const names = new Set(tools.map(({ name }) => name));
  const text = reply.trimEnd();
  if (!/^[{[`]/.test(text) && tools.every(({ name }) => !text.includes(name))) return { text: reply, calls: [] };
  const fences = fencesOf(text);
  const last = fences.at(-1);
  const atEnd = last !== undefined && last.range[1] === text.length && last.inner[1] > last.inner[0] ? last : undefined;
  const isQuoted = quoteChecker(quotedRanges(text, atEnd === undefined ? fences : fences.slice(0, -1)));
  let places = 0;
  for (const match of text.matchAll(/[{[]/g)) {
    const start = match.index;
    if (isQuoted(start) && !(atEnd !== undefined && start >= atEnd.inner[0] && start < atEnd.inner[1])) continue;
    places += 1;
    if (places > mostPlaces) break;
    const found = callsAt(text, start, names);
    if (found === undefined) continue;
    const inFence = atEnd !== undefined && start >= atEnd.inner[0];
    const words = inFence ? text.slice(0, atEnd.range[0]) : `${text.slice(0, start)}\n\n${text.slice(found.end)}`;
    return { text: words.trim(), calls: found.calls };
  }
  return { text: reply, calls: [] };
}

function callsAt(
  text: string,
  start: number,
  names: ReadonlySet<string>,
): { readonly calls: readonly TextCall[]; readonly end: number } | undefined {
  const strict = endOfJson(text, start);
  const value = strict === -1 ? undefined : tryJson(text.slice(start, strict));
  if (value !== undefined) {
    const calls = callsIn(value, names, text.slice(start, strict) === text.trim());
    return calls === undefined ? undefined : { calls, end: strict };
  }
  const end = endOfJson(text, start, true);
  const written = text.slice(start, end === -1 ? text.length : end);
  const name = /["']?(?:name|tool|tool_name|function|action)["']?\s*:\s*["']([A-Za-z_][\w-]{0,63})["']/.exec(
    written.slice(0, 1_000),
  )?.[1];
  if (name === undefined || !names.has(name)) return undefined;
  if (end === -1)
    return {
      calls: [
        brokenCall(
          written,
          'the JSON of the call is not closed, so it may be incomplete; it was not run. Write it again, complete',
          name,
        ),
      ],
      end: text.length,
    };
  const key = /["']?(?:arguments|args|parameters|params|input)["']?\s*:\s*(?=\{)/.exec(written);
  if (key === null) return { calls: [brokenCall(written, 'the call is not JSON; write {"name": …, "arguments": {…}}', name)], end };
  const at = key.index + key[0].length;
  const argsEnd = endOfJson(written, at, true);
  return { calls: [{ toolName: name, input: written.slice(at, argsEnd === -1 ? written.length : argsEnd) }], end };
}

/**
 * Returns the calls of a value; undefined for anything else. An unknown name counts only in a reply that is nothing but the call.
 */
function callsIn(value: unknown, names: ReadonlySet<string>, isAll: boolean): readonly TextCall[] | undefined {
  const listed =
    isJsonObject(value) && Array.isArray(value['tool_calls']) ? value['tool_calls'] : Array.isArray(value) ? value : [value];
  const items: readonly unknown[] = listed;
  const isCall = (item: unknown): item is JsonObject => {
    const name = isJsonObject(item) ? nameIn(item) : undefined;
    return name !== undefined && isJsonObject(item) && (names.has(name) || (isAll && hasArguments(item)));
  };
  if (!items.some(isCall)) return undefined;
  // Next to a call, any object that names a tool is a call.
  return items.map((item) => {
    const name = isJsonObject(item) ? nameIn(item) : undefined;
    return isJsonObject(item) && name !== undefined
      ? callOf(item, name, { rest: false })
      : brokenCall(JSON.stringify(item), noCall);
  });
}

const noCall = 'this element of the list is no call; write {"name": …, "arguments": {…}}';
