import type { Writable } from '../../core/json.ts';
import type { RawToolCall } from '../../core/model/model.ts';
import { MAX_REPLY_CALLS } from './reply-limits.ts';
import { readProviderOptions, readText, type StreamPart } from './stream-part.ts';

/** Calls of one reply in order of arrival, and those whose arguments have begun. */
export class ReplyCalls {
  /** Calls whose arguments have begun to stream: provider call id → wire name. */
  #announced: Map<string, string> | undefined;
  readonly #calls: RawToolCall[] = [];

  /** Calls that arrived complete. */
  get whole(): readonly RawToolCall[] {
    return this.#calls;
  }

  /** Notes that a call's arguments begin; false when there are too many calls. */
  announce(id: string, toolName: string): boolean {
    this.#announced ??= new Map();
    if (this.#announced.size >= MAX_REPLY_CALLS) return false;
    this.#announced.set(id, toolName);
    return true;
  }

  /** Returns the name of a call whose arguments have begun. */
  announced(id: string): string | undefined {
    return this.#announced?.get(id);
  }

  /** Adds a complete call; undefined when there are too many calls. */
  add(part: StreamPart): RawToolCall | undefined {
    if (this.#calls.length >= MAX_REPLY_CALLS) return undefined;
    const input = typeof part.input === 'string' ? part.input : (JSON.stringify(part.input) ?? '');
    const providerOptions = readProviderOptions(part.providerMetadata);
    const call: Writable<RawToolCall> = {
      providerCallId: readText(part.toolCallId),
      toolName: readText(part.toolName),
      input: input.toWellFormed(),
    };
    if (providerOptions !== undefined) call.providerOptions = providerOptions;
    if (typeof part.problem === 'string') call.problem = part.problem;
    if (part.isIdOurs === true) call.isIdOurs = true;
    this.#calls.push(call);
    return call;
  }

  /** Name of a call whose arguments began but never completed. Ids that differ by mistake are paired by count. */
  get unfinished(): string | undefined {
    if (this.#announced === undefined) return undefined;
    const complete = new Set(this.#calls.map((call) => call.providerCallId));
    const open = [...this.#announced].filter(([id]) => !complete.has(id));
    const unannounced = this.#calls.filter((call) => this.#announced?.has(call.providerCallId) !== true);
    return open.length > unannounced.length ? open[0]?.[1] : undefined;
  }

  /** Name of a call whose arguments are not JSON, as in a cut stream; empty arguments are fine. */
  get unreadable(): string | undefined {
    return this.#calls.find(({ input }) => input.trim() !== '' && !isJson(input))?.toolName;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
