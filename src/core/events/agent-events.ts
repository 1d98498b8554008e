import type { AgentId, ContentHash } from '../ids.ts';
import { posterOf } from '../inbox/poster.ts';
import { streaks } from '../profile/escalation.ts';
import { list, optional, record } from '../schema/records.ts';
import { count, flag, map, number, oneOf, text } from '../schema/values.ts';
import { agentId, callId, contentHash, errorRecord, id, inboxItem, itemId, turnId } from './common-parts.ts';
import { defineEvent, type DraftOf, ofAgent } from './define-event.ts';
import { oneLine } from './one-line.ts';
import { runningCalls } from './tool-parts.ts';
import { callNames } from './call-names.ts';

export const agentStart = defineEvent('agent.start', {
  about: 'An agent starts.',
  code: 'a<',
  subject: ofAgent,
  fields: {
    parentAgentId: optional(agentId),
    profile: text,
    profileType: text,
    roleName: optional(text),
    moduleId: optional(id),
    depth: count,
    initialParams: map,
    /** Untrusted sources of parameters that quote untrusted text; absent when they are the words of its parent. */
    taint: optional(list(text)),
    /** The call that started it; the call's result depends on this agent. */
    callId: optional(callId),
    /** The agent to notify, by an item of this source, when the new agent ends. */
    notify: optional(record<{ readonly agentId: AgentId; readonly source: string }>({ agentId, source: text })),
    /** Overrides the profile's allowed toolsets. */
    allowedToolsets: optional(list(text)),
    /** The turn that the baton comes from. */
    lastTurnId: optional(turnId),
    flowId: text,
    /** Held until a slot is free; `agent.release` starts it. */
    held: optional(flag),
  },
  describe: (event) => `${event.agentId} was started${event.parentAgentId === undefined ? '' : ` by ${event.parentAgentId}`}`,
});

export const agentRelease = defineEvent('agent.release', {
  about: 'A held agent may take turns now.',
  code: 'ar',
  subject: ofAgent,
  fields: {},
  describe: (event) => `${event.agentId} got a free slot`,
});

/** Checkpoint of a profile that an agent stopped at, and the question to a person. */
export interface StoppedAt {
  readonly id: string;
  readonly prompt: string;
  /** Hash of what the person is shown. */
  readonly fingerprint: ContentHash;
}

export const agentAwait = defineEvent('agent.await', {
  about: 'An agent waits for items; with `on`, only items of these sources wake it.',
  code: 'aw',
  subject: ofAgent,
  fields: {
    on: optional(list(text)),
    /** It stopped at this checkpoint of its profile, and a person decides whether it goes on. */
    checkpoint: optional(record<StoppedAt>({ id: text, prompt: text, fingerprint: contentHash })),
  },
  describe: (event) =>
    `${event.agentId} waits${event.checkpoint === undefined ? '' : ` at checkpoint '${event.checkpoint.id}'`}${event.on === undefined ? '' : ` for ${event.on.join(', ')}`}`,
});

export const agentRestart = defineEvent('agent.restart', {
  about: 'An agent starts a new iteration: counters are reset and messages archived, unless it keeps its history.',
  code: 'aa',
  subject: ofAgent,
  fields: {
    iteration: count,
    initialParams: map,
    /** As in `agent.start`. */
    taint: optional(list(text)),
    /** The call that restarted it; the call's result depends on this agent. */
    callId: optional(callId),
    /** It goes on where it ended or waited: prompts begin with its earlier history. */
    keepsHistory: optional(oneOf(true)),
  },
  describe: (event) =>
    `${event.agentId} ${event.keepsHistory === true ? 'goes on with its history' : 'was restarted'} (iteration ${event.iteration})`,
});

export const agentEnd = defineEvent('agent.end', {
  about: 'An agent ends with the outcome `success`, `error`, `limit`, `cancelled`, or one that its profile defines.',
  code: 'a>',
  subject: ofAgent,
  fields: {
    outcome: text,
    output: text,
    deliverables: map,
    error: optional(errorRecord),
    /** The person who cancelled it, if one did. */
    by: optional(text),
    /** Calls that may have happened and had no result when they ended with it, or with an agent below it. */
    unknown: optional(runningCalls),
  },
  describe: ({ agentId: ended, outcome, by, unknown }) =>
    `${ended} ended (${outcome})${by === undefined ? '' : `, by ${oneLine(by)}`}${unknown === undefined ? '' : `; may have happened: ${callNames(unknown)}`}`,
});

export const limitReach = defineEvent('limit.reach', {
  about: 'An agent is warned that a limit is near (1), or that its next turn is the last and has no tools (2).',
  code: 'l!',
  subject: ofAgent,
  fields: {
    stage: oneOf(1, 2),
    /** Owner of the limit: the agent with all below it, its work module, or the run. */
    scope: oneOf('agent', 'module', 'run'),
    limit: oneOf('turns', 'tool_calls', 'tokens', 'cost_usd', 'wall_seconds', 'context'),
    used: number,
    allowed: number,
    /** Scope, limit and figures in words. */
    reason: text,
  },
  describe: (event) => `${event.agentId} ${event.stage === 1 ? 'nears' : 'has reached'} a limit: ${event.reason}`,
});

export const stagnationAct = defineEvent('stagnation.act', {
  about: "An agent stagnates, and a step (`rung`) of its profile's escalation is taken.",
  code: 's!',
  subject: ofAgent,
  fields: {
    rung: text,
    /** The streak, its length that triggers the step, and its length now. */
    on: oneOf(...streaks),
    threshold: number,
    count: number,
    action: oneOf('nudge', 'forbid_tool', 'switch_llm_config', 'ask_human', 'end'),
    /** For `forbid_tool`: tools that the next turn does not offer. */
    tools: optional(list(text)),
    llmConfig: optional(text),
    /** For `ask_human`: the question, and the hash of what is shown. */
    prompt: optional(text),
    fingerprint: optional(contentHash),
  },
  describe: (event) => {
    const more = event.tools ?? (event.llmConfig === undefined ? [] : [event.llmConfig]);
    const what = more.length === 0 ? '' : ` (${more.join(', ')})`;
    return `${event.agentId} stagnates (${event.on} = ${event.count}), step '${event.rung}': ${event.action}${what}`;
  },
});

export const inboxAdd = defineEvent('inbox.add', {
  about: "An item arrives in an agent's inbox.",
  code: 'i+',
  subject: ofAgent,
  fields: { item: inboxItem },
  keys: { item: 'i' },
  describe: (event) =>
    `${event.item.source} reached ${event.agentId} from ${posterOf(event.item, event)}: ${oneLine(event.item.payload)}`,
});

export const inboxFail = defineEvent('inbox.fail', {
  about: 'An ingestor failed on an item; the item stays until the number of failures reaches its limit.',
  code: 'i!',
  subject: ofAgent,
  fields: { itemId, error: errorRecord },
  describe: (event) => `item ${event.itemId} could not be read: ${event.error.message}`,
});

export const inboxDrop = defineEvent('inbox.drop', {
  about: 'An item leaves an inbox other than by being read for the last time.',
  code: 'i-',
  subject: ofAgent,
  fields: { itemId, reason: oneOf('expired', 'dead_letter', 'agent_ended', 'edited') },
  describe: (event) => `item ${event.itemId} was dropped (${event.reason})`,
});

export type AgentStart = DraftOf<typeof agentStart>;
export type AgentRelease = DraftOf<typeof agentRelease>;
export type AgentAwait = DraftOf<typeof agentAwait>;
export type AgentRestart = DraftOf<typeof agentRestart>;
export type AgentEnd = DraftOf<typeof agentEnd>;
export type LimitReach = DraftOf<typeof limitReach>;
export type StagnationAct = DraftOf<typeof stagnationAct>;
export type InboxAdd = DraftOf<typeof inboxAdd>;
export type InboxFail = DraftOf<typeof inboxFail>;
export type InboxDrop = DraftOf<typeof inboxDrop>;
