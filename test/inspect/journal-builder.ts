import { createHash } from 'node:crypto';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import type { CadreEvent, EventDraft } from '../../src/core/events/event.ts';
import type { AgentId, CallId, ContentHash, ItemId, RunId, TurnId } from '../../src/core/ids.ts';
import type { InboxItem } from '../../src/core/inbox/inbox.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { Limits } from '../../src/core/profile/profile.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { TurnState } from '../../src/core/state/turn-state.ts';
import type { EventStream, SegmentRecord, TurnInput } from '../../src/core/state/turn.ts';

export const runId = 'run1' as RunId;
export const agentId = (id: string): AgentId => id as AgentId;
export const turnId = (id: string): TurnId => id as TurnId;
export const callId = (id: string): CallId => id as CallId;
export const itemId = (id: string): ItemId => id as ItemId;

const limits: Limits = {
  maxTurns: 100,
  maxToolCalls: 100,
  maxTokens: 1e6,
  maxCostUsd: 10,
  maxWallMs: 1e6,
  maxDepth: 3,
  maxChildren: 9,
  maxLive: 1_000,
  maxTotal: 1_000,
  softAt: 0.8,
};

/** A journal that is folded as it is written, for tests of views. */
export class JournalBuilder {
  readonly events: CadreEvent[] = [];
  readonly contents = new Map<ContentHash, string>();
  readonly run: RunContext;
  #at = Date.UTC(2026, 10, 21, 10);

  constructor(files: readonly { readonly path: string; readonly text: string }[] = [], input: JsonValue = 'Compare A and B') {
    const start: CadreEvent & { type: 'run.start' } = {
      type: 'run.start',
      profile: 'Partner',
      title: 'A test',
      input,
      profiles: this.store(JSON.stringify(files)),
      limits,
      engineVersion: '0.1.0',
      runId,
      seq: 1,
      at: this.#at,
    };
    this.events.push(start);
    this.run = startRun(start);
  }

  readonly content = (hash: ContentHash): string | undefined => this.contents.get(hash);
  readonly eventAt = (seq: number): CadreEvent | undefined => this.events[seq - 1];

  store(text: string): ContentHash {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22) as ContentHash;
    this.contents.set(hash, text);
    return hash;
  }

  /** Lets time pass. */
  wait(ms: number): this {
    this.#at += ms;
    return this;
  }

  add(draft: EventDraft, cause?: number): CadreEvent {
    const event: CadreEvent = { ...draft, runId, seq: this.run.seq + 1, at: this.#at, ...(cause === undefined ? {} : { cause }) };
    this.events.push(event);
    applyEvent(this.run, event);
    return event;
  }

  agent(
    id: string,
    profile: string,
    more: { readonly parent?: string; readonly callId?: string; readonly moduleId?: string } = {},
    cause?: number,
  ): CadreEvent {
    return this.add(
      {
        type: 'agent.start',
        agentId: agentId(id),
        profile,
        profileType: profile.toLowerCase(),
        depth: more.parent === undefined ? 0 : 1,
        initialParams: {},
        flowId: 'flow1',
        ...(more.parent === undefined ? {} : { parentAgentId: agentId(more.parent) }),
        ...(more.callId === undefined ? {} : { callId: callId(more.callId) }),
        ...(more.moduleId === undefined ? {} : { moduleId: more.moduleId }),
      },
      cause,
    );
  }

  item(to: string, id: string, source: string, payload: JsonValue, more: Partial<InboxItem> = {}, cause?: number): CadreEvent {
    const item: InboxItem = { itemId: itemId(id), source, payload, consumption: 'consume_on_read', delivery: 'next', ...more };
    return this.add({ type: 'inbox.add', agentId: agentId(to), item }, cause);
  }

  /** Starts a turn whose prompt is all of the agent's history, the new inputs included. */
  turn(
    agent: string,
    id: string,
    inputs: readonly TurnInput[],
    more: {
      readonly segments?: readonly Segment[];
      readonly tools?: readonly string[];
      readonly from?: number;
      readonly stream?: EventStream | undefined;
      readonly sources?: readonly string[];
    } = {},
    cause?: number,
  ): TurnState {
    const added = countMessages(inputs);
    const state = this.run.agents.get(agentId(agent));
    this.add(
      {
        type: 'turn.start',
        agentId: agentId(agent),
        turnId: turnId(id),
        turnType: 'agent',
        flowId: 'flow1',
        sourceTurnIds: (more.sources ?? []).map(turnId),
        inputs,
        observers: [],
        prompt: {
          system: this.segments(more.segments ?? []),
          tools: this.store(
            JSON.stringify((more.tools ?? []).map((name) => ({ type: 'function', name, description: '', inputSchema: {} }))),
          ),
          from: more.from ?? 0,
          to: (state?.history.messages.length ?? 0) + added,
          ...(more.stream === undefined ? {} : { stream: more.stream }),
        },
      },
      cause,
    );
    const turn = this.run.turns.get(turnId(id));
    if (turn === undefined) throw new Error(`no turn ${id}`);
    return turn;
  }

  segments(segments: readonly Segment[]): ContentHash {
    const records = segments.map((segment, index): SegmentRecord => {
      const base = { id: segment.id, type: segment.type ?? 'static_text', order: index, conditionMet: segment.text !== undefined };
      return segment.text === undefined || segment.text === ''
        ? base
        : { ...base, hash: this.store(segment.text), chars: segment.text.length };
    });
    return this.store(JSON.stringify(records));
  }

  reply(
    agent: string,
    turn: string,
    text: string,
    calls: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[] = [],
    reasoning = '',
  ): CadreEvent {
    const start = this.run.turns.get(turnId(turn))?.start.seq;
    return this.add(
      {
        type: 'model.end',
        agentId: agentId(agent),
        turnId: turnId(turn),
        reply: {
          text,
          reasoning,
          ...(reasoning === '' ? {} : { reasoningParts: [{ text: reasoning, providerOptions: {} }] }),
          toolCalls: calls.map((call) => ({
            callId: callId(call.id),
            providerCallId: `p_${call.id}`,
            name: call.name,
            wireName: call.name,
            input: JSON.stringify(call.args),
          })),
          finishReason: calls.length === 0 ? 'stop' : 'tool-calls',
          modelId: 'test-model',
        },
        usage: { inputTokens: 100, outputTokens: 10 },
        cost: 0.001,
        attempts: [{ config: 'default', model: 'test-model', startedAt: this.#at, ms: 50, firstTokenMs: 20 }],
      },
      start,
    );
  }

  /** A call requested, run and answered, its result in the caller's inbox. */
  call(
    agent: string,
    turn: string,
    call: { readonly id: string; readonly name: string; readonly args: JsonObject },
    result: string,
  ): CadreEvent {
    const base = { agentId: agentId(agent), turnId: turnId(turn), callId: callId(call.id) };
    const request = this.add(
      { type: 'tool.request', ...base, name: call.name, args: call.args },
      this.run.turns.get(turnId(turn))?.modelEnd?.seq,
    );
    const start = this.add({ type: 'tool.start', ...base, attempt: 1 }, request.seq);
    this.wait(120);
    const end = this.add({ type: 'tool.end', ...base, status: 'ok', content: result, ms: 120 }, start.seq);
    return this.item(
      agent,
      `r_${call.id}`,
      'TOOL_RESULT',
      { tool_name: call.name, tool_call_id: call.id, content: result },
      {},
      end.seq,
    );
  }

  end(agent: string, turn: string): CadreEvent {
    return this.add({ type: 'turn.end', agentId: agentId(agent), turnId: turnId(turn), status: 'completed' });
  }
}

/** A segment as it was rendered; without a text its condition was false. */
export interface Segment {
  readonly id: string;
  readonly type?: string;
  readonly text?: string;
}

/** An input as an ingestor made it. */
export function input(id: string, source: string, content: TurnInput['content'], more: Partial<TurnInput> = {}): TurnInput {
  return {
    itemId: itemId(id),
    source,
    strategy: 'global',
    ingestor: 'generic_message',
    mode: 'append_as_new_message',
    role: 'user',
    persistent: true,
    content,
    ...more,
  };
}

/** The input a tool result becomes. */
export function resultInput(id: string, name: string, content: TurnInput['content']): TurnInput {
  return input(`r_${id}`, 'TOOL_RESULT', content, { role: 'tool', ingestor: 'tool_result', callId: callId(id), wireName: name });
}

function countMessages(inputs: readonly TurnInput[]): number {
  let count = 0;
  let inTools = false;
  for (const entry of inputs) {
    const tool = entry.persistent && entry.role === 'tool';
    if (entry.persistent && !(tool && inTools)) count++;
    inTools = tool;
  }
  return count;
}
