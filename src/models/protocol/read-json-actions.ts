import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { endOfJson, tryJson } from './json-span.ts';
import { fencesOf } from './quoted-ranges.ts';
import { brokenCall, callOf, nameIn, type ReadReply, type TextCall } from './text-call.ts';

/**
 * Parses a reply in `json_actions`: one JSON object with `analysis` (the model's own thoughts), `reasoning` (its explanation to
 * people) and `actions`, alone, in a fenced block, or within text. With an empty list of actions the answer counts. Text without
 * such an object is an answer; an unreadable object is a call with a problem.
 */
export function readJsonActions(reply: string): ReadReply {
  const found = findObject(reply);
  if (found === undefined) return { text: reply, calls: looksMeant(reply) ? [unreadable(reply)] : [] };
  const { analysis, reasoning, answer } = found;
  const actions = found['actions'] ?? found['action'];
  const listed: readonly JsonValue[] | undefined = Array.isArray(actions) ? actions : isJsonObject(actions) ? [actions] : undefined;
  if (listed === undefined || listed.length > 0)
    return {
      text: words(reasoning),
      calls: listed?.map(toCall) ?? [brokenCall(JSON.stringify(actions ?? null), wrong)],
      ...thoughts(analysis),
    };
  if (answer !== undefined) return { text: words(answer), calls: [], ...thoughts(analysis, reasoning) };
  return words(reasoning) === ''
    ? { text: words(analysis), calls: [] }
    : { text: words(reasoning), calls: [], ...thoughts(analysis) };
}

// A few positions are enough: a reply of this protocol has one object.
const mostPlaces = 8;

const wrong = 'actions must be a list of objects, {"tool": …, "args": {…}}';

function toCall(action: JsonValue): TextCall {
  const name = isJsonObject(action) ? nameIn(action) : undefined;
  return isJsonObject(action) && name !== undefined
    ? callOf(action, name, { rest: true })
    : brokenCall(JSON.stringify(action), wrong);
}

function unreadable(reply: string): TextCall {
  return brokenCall(
    reply,
    'the reply is not one complete JSON object; write {"analysis": …, "reasoning": …, "actions": […]} and nothing else',
  );
}

/** Finds the object with the actions: the whole reply, a fenced block, or the start of a line. */
function findObject(reply: string): JsonObject | undefined {
  const blocks = reply.includes('```') || reply.includes('~~~') ? fencesOf(reply).slice(0, mostPlaces) : [];
  for (const text of [reply, ...blocks.map(({ inner }) => reply.slice(...inner))]) {
    const value = asActions(tryJson(text.trim()));
    if (value !== undefined) return value;
  }
  let places = 0;
  for (const match of reply.matchAll(/^[ \t]*\{/gm)) {
    places += 1;
    if (places > mostPlaces) return undefined;
    const start = match.index + match[0].length - 1;
    const end = endOfJson(reply, start);
    const value = end === -1 ? undefined : asActions(tryJson(reply.slice(start, end)));
    if (value !== undefined) return value;
  }
  return undefined;
}

function asActions(value: unknown): JsonObject | undefined {
  return isJsonObject(value) &&
    (Object.hasOwn(value, 'actions') || Object.hasOwn(value, 'action') || Object.hasOwn(value, 'answer'))
    ? withActions(value)
    : undefined;
}

/** Adds an empty list of actions to an object that only answers. */
function withActions(value: JsonObject): JsonObject {
  return Object.hasOwn(value, 'actions') || Object.hasOwn(value, 'action') ? value : { ...value, actions: [] };
}

function looksMeant(reply: string): boolean {
  return /^\s*(?:```\w*\s*)?\{/.test(reply) || reply.includes('"actions"');
}

function thoughts(...values: readonly (JsonValue | undefined)[]): { readonly reasoning?: string } {
  const said = values.map(words).filter((each) => each !== '');
  return said.length === 0 ? {} : { reasoning: said.join('\n\n') };
}

function words(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
