import { isJsonObject, type JsonSchema } from '../../core/json.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { endOfJson, skipSpace, tryJson } from './json-span.ts';
import { quoteChecker, quotedRanges, withoutOuterFence } from './quoted-ranges.ts';
import { brokenCall, callOf, nameIn, type ReadReply, type TextCall } from './text-call.ts';

/** Calls read from a range of text, and its end. */
interface Read {
  readonly calls: readonly TextCall[];
  readonly end: number;
}

const opening = /<tool_call\s*>|<tool_result\b|<invoke\s+name\s*=|<function\s*=/gi;
const closing = /\s*<\/tool_call\s*>/iy;

/**
 * Parses the calls of a reply in `xml`: `<tool_call>` around a JSON object, a list of objects, or tagged parameters; also
 * `<invoke>` and `<function=…>` alone. Quoted text holds no calls. An unclosed or unreadable call is a call with a problem. Text
 * after a result that the model wrote itself holds no calls.
 */
export function readXmlCalls(reply: string, tools: readonly OfferedTool[]): ReadReply {
  const text = withoutOuterFence(reply);
  const isQuoted = quoteChecker(quotedRanges(text));
  const calls: TextCall[] = [];
  const words: string[] = [];
  let from = 0;
  for (;;) {
    opening.lastIndex = from;
    let match = opening.exec(text);
    while (match !== null && isQuoted(match.index)) match = opening.exec(text);
    if (match === null) break;
    words.push(text.slice(from, match.index));
    if (/^<tool_result/i.test(match[0])) {
      if (opening.exec(text) !== null && calls.length > 0) calls.push(inventedResult(text.slice(match.index)));
      from = text.length;
      break;
    }
    const read = /^<tool_call/i.test(match[0]) ? readWrapped(match, tools) : readTagCall(text, match.index, tools);
    calls.push(...read.calls);
    from = read.end;
  }
  if (calls.length === 0) return { text: reply, calls };
  words.push(text.slice(from));
  return {
    text: words
      .map((word) => word.trim())
      .filter((word) => word !== '')
      .join('\n\n'),
    calls,
  };
}

function inventedResult(written: string): TextCall {
  return brokenCall(
    written,
    'you wrote a tool result yourself; nothing after it was read. Call a tool, end your reply, and wait for its result',
  );
}

function readWrapped({ 0: tag, index: start, input: text }: RegExpExecArray, tools: readonly OfferedTool[]): Read {
  const inside = start + tag.length;
  const at = skipSpace(text, inside);
  const char = text.charAt(at);
  if (char === '{' || char === '[') return readJson(text, start, at);
  if (tagCallStart(text, at) !== undefined) {
    const read = readTagCall(text, at, tools);
    return closedAt(text, read.end) === undefined && read.calls[0]?.problem === undefined
      ? notClosed(text, start)
      : { calls: read.calls, end: closedAt(text, read.end) ?? read.end };
  }
  const end = afterClosing(text, inside);
  const problem = 'between <tool_call> and </tool_call> there must be one JSON object, {"name": …, "arguments": {…}}';
  return end === undefined ? notClosed(text, start) : { calls: [brokenCall(text.slice(start, end), problem)], end };
}

function readJson(text: string, start: number, at: number): Read {
  const end = endOfJson(text, at);
  if (end === -1) return notClosed(text, start);
  const closed = closedAt(text, end);
  if (closed === undefined) {
    const after = afterClosing(text, end);
    const problem = 'between <tool_call> and </tool_call> there must be one JSON object and nothing else';
    return after === undefined ? notClosed(text, start) : { calls: [brokenCall(text.slice(start, after), problem)], end: after };
  }
  const written = text.slice(at, end);
  const value = tryJson(written);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return { calls: items.map((item) => jsonCall(item, written)), end: closed };
}

function jsonCall(item: unknown, written: string): TextCall {
  if (!isJsonObject(item))
    return brokenCall(
      written,
      'the text between <tool_call> and </tool_call> is not JSON; write {"name": …, "arguments": {…}}',
      guessedName(written),
    );
  const name = nameIn(item);
  return name === undefined
    ? brokenCall(written, 'the call names no tool; write {"name": …, "arguments": {…}}')
    : callOf(item, name, { rest: false });
}

/** Guesses the name in a call that is not JSON, so that its error can name the tool. */
function guessedName(written: string): string | undefined {
  return /"name"\s*:\s*"([A-Za-z_][\w-]{0,63})"/.exec(written.slice(0, 1_000))?.[1];
}

function notClosed(text: string, start: number): Read {
  return {
    calls: [
      brokenCall(
        text.slice(start),
        'the call is not closed with </tool_call>, or nested too deep, so it may be incomplete; it was not run, and nothing after it was read. Write it again, complete',
      ),
    ],
    end: text.length,
  };
}

function closedAt(text: string, at: number): number | undefined {
  closing.lastIndex = at;
  return closing.test(text) ? closing.lastIndex : undefined;
}

function afterClosing(text: string, from: number): number | undefined {
  const at = text.indexOf('</tool_call', from);
  const end = at === -1 ? -1 : text.indexOf('>', at);
  return end === -1 ? undefined : end + 1;
}

// `<function=NAME>`, `<invoke name="NAME">`, or `<NAME>`, which counts only inside `<tool_call>`.
const start =
  /<(?:function\s*=\s*"?([\w.-]{1,100})"?|invoke\s+name\s*=\s*["']([^"'<>\n]{1,100})["']|([A-Za-z_][\w.-]{0,99}))\s*>/iy;
const parameter =
  /\s*<(?:parameter\s*=\s*"?([\w.-]{1,200})"?|parameter\s+name\s*=\s*["']([^"'<>\n]{1,200})["']|([A-Za-z_][\w.-]{0,199}))\s*>/iy;

/** Parses the opening tag of a call with tagged parameters at this position. */
function tagCallStart(
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
function readTagCall(
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
