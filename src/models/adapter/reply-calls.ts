import type { Writable } from '../../core/json.ts';
import type { RawToolCall } from '../../core/model/model.ts';
import { readProviderOptions, type StreamPart } from './stream-part.ts';
import { readJson } from '../../core/read-json.ts';

/** Reads a complete call. */
export function readCall(part: StreamPart): RawToolCall {
  const { toolCallId, toolName, providerMetadata } = part;
  const input = typeof part.input === 'string' ? part.input : (JSON.stringify(part.input) ?? '');
  const call: Writable<RawToolCall> = {
    providerCallId: typeof toolCallId === 'string' ? toolCallId : '',
    toolName: typeof toolName === 'string' ? toolName : '',
    input: input.toWellFormed(),
  };
  const providerOptions = providerMetadata === undefined ? undefined : readProviderOptions(providerMetadata);
  if (providerOptions !== undefined) call.providerOptions = providerOptions;
  if (typeof part.problem === 'string') call.problem = part.problem;
  if (part.isIdOurs === true) call.isIdOurs = true;
  return call;
}

/**
 * Returns the name of a call whose arguments began (`announced`: provider call id → wire name) but never completed. Ids that differ
 * by mistake are paired by count.
 */
export function unfinishedCall(announced: ReadonlyMap<string, string>, calls: readonly RawToolCall[]): string | undefined {
  const [first] = calls;
  if (first !== undefined && announced.size === 1 && announced.has(first.providerCallId)) return undefined;
  const complete = new Set(calls.map((call) => call.providerCallId));
  const open = [...announced].filter(([id]) => !complete.has(id));
  const unannounced = calls.filter((call) => !announced.has(call.providerCallId));
  return open.length > unannounced.length ? open[0]?.[1] : undefined;
}

/** True when the arguments of a call are not JSON, as in a cut stream; empty arguments are fine. */
export function hasUnreadableInput(calls: readonly RawToolCall[]): boolean {
  return calls.some(({ input }) => input.trim() !== '' && !isJson(input));
}

function isJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}
