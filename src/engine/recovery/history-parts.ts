import { hash } from 'node:crypto';
import type { MessageOrigin, PromptMessage } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { readJson } from '../../core/read-json.ts';

/** The full parts of a history, by SHA-256, from part `from` on. All parts have one size; part `n` begins at message `n * size` of the whole history. */
export interface PartList {
  readonly from: number;
  readonly sums: readonly string[];
}

interface Part {
  readonly messages: readonly PromptMessage[];
  readonly origins: readonly MessageOrigin[];
  /** `tokenTotals` of these messages. */
  readonly totals: readonly number[];
  /** Ids in `wireIds` that these messages name. */
  readonly ids: readonly string[];
}

/** A part that is kept already, recognized by its first and last message. */
export interface KeptPart {
  readonly first: PromptMessage | undefined;
  readonly last: PromptMessage | undefined;
  readonly sum: string;
  readonly ids: readonly string[];
}

/** A part that is not kept yet. */
export interface MissingPart {
  readonly name: string;
  readonly body: string;
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
  readonly #kept: Map<string, KeptPart>;
  readonly #size: number;

  /** `size` is the number of messages in a part. A message never changes, and a part is written once. `kept` are those of a resumed run. */
  constructor(size: number, kept: ReadonlyMap<string, KeptPart> = new Map()) {
    this.#size = size;
    this.#kept = new Map(kept);
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
      const { history, context } = agent;
      const at = first * this.#size - history.released;
      const messages = without(history.messages, at, count * this.#size);
      const origins = without(history.origins, at, count * this.#size);
      const tokenTotals = without(context.tokenTotals, at, count * this.#size);
      const wireIds = new Set(history.wireIds);
      for (const name of names) for (const id of this.#kept.get(name)?.ids ?? []) wireIds.delete(id);
      agents.set(agentId, {
        ...agent,
        history: { ...history, messages, origins, wireIds },
        context: { ...context, tokenTotals },
      });
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

  #write(name: string, { history, context }: SubContext, index: number): MissingPart {
    const at = index * this.#size - history.released;
    const to = at + this.#size;
    const messages = history.messages.slice(at, to);
    const ids = idsIn(messages).filter((id) => history.wireIds.has(id));
    const part: Part = { messages, origins: history.origins.slice(at, to), totals: context.tokenTotals.slice(at, to), ids };
    const body = JSON.stringify(part);
    const kept = { first: messages[0], last: messages.at(-1), sum: hash('sha256', body), ids };
    return { name, body, kept: () => void this.#kept.set(name, kept) };
  }
}

/**
 * Puts the parts back that a state was cut of, and returns them by name; undefined when one is missing or is another one. The state is then of
 * no use.
 */
export function joinParts(
  run: RunContext,
  lists: ReadonlyMap<string, PartList>,
  bodies: ReadonlyMap<string, string>,
): ReadonlyMap<string, KeptPart> | undefined {
  const kept = new Map<string, KeptPart>();
  for (const [agentId, { from, sums }] of lists) {
    const agent = run.agents.get(agentId as SubContext['meta']['agentId']);
    const parts: Part[] = [];
    for (const [index, sum] of sums.entries()) {
      const name = partName(agentId, from + index);
      const body = bodies.get(name);
      if (body === undefined || hash('sha256', body) !== sum) return undefined;
      const part = readJson(body) as Part;
      parts.push(part);
      kept.set(name, { first: part.messages[0], last: part.messages.at(-1), sum, ids: part.ids });
    }
    const size = parts[0]?.messages.length ?? 0;
    if (agent === undefined || size === 0) return undefined;
    const { history, context } = agent;
    const at = from * size - history.released;
    history.messages = between(history.messages, at, parts, ({ messages }) => messages);
    history.origins = between(history.origins, at, parts, ({ origins }) => origins);
    context.tokenTotals = between(context.tokenTotals, at, parts, ({ totals }) => totals);
    for (const { ids } of parts) for (const id of ids) history.wireIds.add(id);
  }
  return kept;
}

/** Ids of the calls in messages, as the provider of their model knows them. */
function idsIn(messages: readonly PromptMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [],
  );
}

/** Returns a list with those of parts put back at a position. */
function between<Item>(items: readonly Item[], at: number, parts: readonly Part[], of: (part: Part) => readonly Item[]): Item[] {
  return items.slice(0, at).concat(parts.flatMap(of), items.slice(at));
}

function without<Item>(items: readonly Item[], at: number, count: number): Item[] {
  return items.slice(0, at).concat(items.slice(at + count));
}
