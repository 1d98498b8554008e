import { isJsonObject } from '../../core/json.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { endOfJson, skipSpace, tryJson } from './json-span.ts';
import { quoteChecker, quotedRanges, withoutOuterFence } from './quoted-ranges.ts';
import { brokenCall, callOf, nameIn, type ReadReply, type TextCall } from './text-call.ts';
import { tagCallStart, readTagCall } from './read-tag-call.ts';

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
