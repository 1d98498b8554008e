import { hash } from 'node:crypto';
import type { MessageOrigin, PromptMessage } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** The full parts of a history, by SHA-256, from part `from` on. All parts have one size; part `n` begins at message `n * size` of the whole history. */
export interface PartList {
  readonly from: number;
  readonly sums: readonly string[];
}

interface Part {
  readonly messages: readonly PromptMessage[];
  readonly origins: readonly MessageOrigin[];
}

/** A part that is kept already, recognized by its first and last message. */
interface KeptPart {
  readonly first: PromptMessage | undefined;
  readonly last: PromptMessage | undefined;
  readonly sum: string;
}

/** A part that is not kept yet. */
export interface MissingPart {
  readonly name: string;
  readonly body: Uint8Array;
  /** Called once it is kept. */
  readonly kept: () => void;
}

/** The name of a part: stores keep parts of a run by it. */
export function partName(agentId: string, index: number): string {
  return `${agentId} ${index}`;
}

/**
 * Full parts of the histories of a run, which snapshots of its state refer to: a snapshot costs what was said since the one before,
 * however long the histories are.
 */
export class HistoryParts {
  readonly #kept = new Map<string, KeptPart>();
  readonly #size: number;

  /** `size` is the number of messages in a part. A message never changes, and a part is written once. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Returns the first full part that is not kept. */
  missing(run: RunContext): MissingPart | undefined {
    for (const agent of run.agents.values()) {
      const { first, count } = this.#range(agent);
      for (let index = first; index < first + count; index += 1) {
        const name = partName(agent.meta.agentId, index);
        if (this.#find(name, agent, index) === undefined) return this.#write(name, agent, index);
      }
    }
    return undefined;
  }

  /** Returns the state without the messages of full parts, and the parts to put back; all of them must be kept. */
  cut(run: RunContext): { readonly state: RunContext; readonly parts: ReadonlyMap<string, PartList> } {
    const parts = new Map<string, PartList>();
    const agents = new Map<SubContext['meta']['agentId'], SubContext>();
    for (const [agentId, agent] of run.agents) {
      const { first, count } = this.#range(agent);
      agents.set(agentId, agent);
      if (count === 0) continue;
      const names = Array.from({ length: count }, (_, index) => partName(agentId, first + index));
      parts.set(agentId, { from: first, sums: names.map((name) => this.#kept.get(name)?.sum ?? '') });
      const { history } = agent;
      const at = first * this.#size - history.released;
      const messages = without(history.messages, at, count * this.#size);
      const origins = without(history.origins, at, count * this.#size);
      agents.set(agentId, { ...agent, history: { ...history, messages, origins } });
    }
    return { state: parts.size === 0 ? run : { ...run, agents }, parts };
  }

  /** The full parts of an agent's history whose messages are all there. */
  #range({ history }: SubContext): { readonly first: number; readonly count: number } {
    const first = Math.ceil(history.released / this.#size);
    const end = Math.floor((history.released + history.messages.length) / this.#size);
    return { first, count: Math.max(0, end - first) };
  }

  #find(name: string, { history }: SubContext, index: number): KeptPart | undefined {
    const at = index * this.#size - history.released;
    const kept = this.#kept.get(name);
    const isSame = kept?.first === history.messages[at] && kept?.last === history.messages[at + this.#size - 1];
    return isSame ? kept : undefined;
  }

  #write(name: string, { history }: SubContext, index: number): MissingPart {
    const at = index * this.#size - history.released;
    const messages = history.messages.slice(at, at + this.#size);
    const part: Part = { messages, origins: history.origins.slice(at, at + this.#size) };
    const body = Buffer.from(JSON.stringify(part));
    const kept = { first: messages[0], last: messages.at(-1), sum: hash('sha256', body) };
    return { name, body, kept: () => void this.#kept.set(name, kept) };
  }
}

/** Puts the parts back that a state was cut of; undefined when one is missing or is another one. */
export function joinParts(
  run: RunContext,
  lists: ReadonlyMap<string, PartList>,
  bodies: ReadonlyMap<string, Uint8Array>,
): RunContext | undefined {
  for (const [agentId, { from, sums }] of lists) {
    const history = run.agents.get(agentId as SubContext['meta']['agentId'])?.history;
    const parts: Part[] = [];
    for (const [index, sum] of sums.entries()) {
      const body = bodies.get(partName(agentId, from + index));
      if (history === undefined || body === undefined || hash('sha256', body) !== sum) return undefined;
      parts.push(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) as Part);
    }
    const size = parts[0]?.messages.length ?? 0;
    if (history === undefined || size === 0) return undefined;
    const at = from * size - history.released;
    history.messages = history.messages.slice(0, at).concat(
      parts.flatMap(({ messages }) => messages),
      history.messages.slice(at),
    );
    history.origins = history.origins.slice(0, at).concat(
      parts.flatMap(({ origins }) => origins),
      history.origins.slice(at),
    );
  }
  return run;
}

function without<Item>(items: readonly Item[], at: number, count: number): Item[] {
  return items.slice(0, at).concat(items.slice(at + count));
}
