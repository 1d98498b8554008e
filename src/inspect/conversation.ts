import type { AgentId, ItemId, TurnId } from '../core/ids.ts';
import type { InboxItem } from '../core/inbox/inbox.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { contentText, type Content } from '../core/prompt/message.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** One entry of the conversation with the user. */
export type ConversationEntry =
  | {
      readonly kind: 'user';
      readonly text: string;
      readonly to: AgentId;
      readonly itemId: ItemId;
      /** The turn that read it; undefined while it waits. */
      readonly turnId: TurnId | undefined;
      /** Sequence number of the event it came with; 0 when unknown. */
      readonly seq: number;
      /** The person who wrote it; absent: a program. */
      readonly by?: string;
    }
  | {
      readonly kind: 'agent';
      readonly text: string;
      readonly from: AgentId;
      readonly turnId: TurnId;
      readonly seq: number;
      readonly at: number;
    }
  /** Result of the run, when no reply states it. */
  | { readonly kind: 'output'; readonly text: string };

/** Returns the user's messages and the root agent's replies, in order. */
export function conversation(run: RunContext): readonly ConversationEntry[] {
  const entries: Exclude<ConversationEntry, { readonly kind: 'output' }>[] = [];
  const seen = new Set<ItemId>();
  for (const turn of run.turns.values()) {
    turn.items.forEach((item, index) => {
      if (item === undefined || !isFromUser(item) || seen.has(item.itemId)) return;
      seen.add(item.itemId);
      const text = userText(item.payload, turn.start.inputs[index]?.content);
      entries.push({
        kind: 'user',
        text,
        to: turn.agentId,
        itemId: item.itemId,
        turnId: turn.turnId,
        seq: turn.itemSeqs[index] ?? 0,
        ...(item.by === undefined ? {} : { by: item.by }),
      });
    });
    const reply = turn.modelEnd?.reply?.text ?? '';
    if (turn.agentId !== run.rootAgentId || turn.modelEnd === undefined || reply.trim() === '') continue;
    entries.push({
      kind: 'agent',
      text: reply,
      from: turn.agentId,
      turnId: turn.turnId,
      seq: turn.modelEnd.seq,
      at: turn.modelEnd.at,
    });
  }
  for (const agent of run.agents.values()) {
    for (const { item, seq } of agent.inbox.items) {
      if (!isFromUser(item) || seen.has(item.itemId)) continue;
      entries.push({
        kind: 'user',
        text: userText(item.payload, undefined),
        to: agent.meta.agentId,
        itemId: item.itemId,
        turnId: undefined,
        seq,
        ...(item.by === undefined ? {} : { by: item.by }),
      });
    }
  }
  const ordered = entries.toSorted((a, b) => a.seq - b.seq);
  const last = ordered.findLast((entry) => entry.kind === 'agent');
  const unsaid = run.output.trim() !== '' && run.output.trim() !== last?.text.trim();
  return unsaid ? [...ordered, { kind: 'output', text: run.output }] : ordered;
}

function isFromUser(item: InboxItem): boolean {
  return item.source === 'USER_PROMPT' && item.from === undefined && item.observerId === undefined && item.ruleId === undefined;
}

/** Returns the user's own text: the payload if it is text or holds one under a usual name, otherwise the ingested content. */
export function userText(payload: JsonValue, content: Content | undefined): string {
  if (typeof payload === 'string') return payload;
  if (isJsonObject(payload)) {
    for (const key of ['prompt', 'content', 'text']) {
      const value = payload[key];
      if (typeof value === 'string') return value;
    }
  }
  return content === undefined ? JSON.stringify(payload) : contentText(content);
}
