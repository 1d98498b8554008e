import type { ErrorRecord } from '../error.ts';
import type { JsonObject } from '../json.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';
import { list, mapOf, optional, record, variants } from '../schema/records.ts';
import { as, flag, json, map, number, oneOf, text } from '../schema/values.ts';
import type { GateRecord } from '../state/turn.ts';
import { type Capability, capabilityParts } from '../state/capability.ts';
import type { ApprovalWait, Expiry, QuestionWait, WaitFor } from '../tool/wait-for.ts';
import type { AgentId, CallId } from '../ids.ts';
import { agentId, callId, contentHash, errorRecord } from './common-parts.ts';

export const callStatus = oneOf('ok', 'error', 'denied', 'cancelled', 'timeout', 'unknown');

/** A call that ended without its tool's result, and its tool. */
export interface RunningCall {
  readonly agentId: AgentId;
  readonly callId: CallId;
  readonly tool: string;
}

export const runningCalls = list(record<RunningCall>({ agentId, callId, tool: text }));

/** State an approval is bound to. */
export const capability = record<Capability>({
  fingerprint: contentHash,
  tool: contentHash,
  settings: contentHash,
  gate: contentHash,
  args: contentHash,
  profile: contentHash,
});

/** The gates that judged a call, in order; on the events that say what became of it, when they say something new. */
export const gateRecords = list(
  record<GateRecord>(
    {
      id: text,
      verdict: oneOf('allow', 'deny', 'ask'),
      matched: flag,
      values: optional(mapOf(json)),
      error: optional(errorRecord),
      skipped: optional(oneOf(true)),
    },
    { id: 'i', verdict: 'd', matched: 'm', values: 'v', error: 'e', skipped: 's' },
  ),
);

const expiry = record<Expiry>({ afterMs: number, verdict: oneOf('deny', 'allow') });

export const waitFor = as<WaitFor>(
  variants('kind', {
    agents: record<Extract<WaitFor, { kind: 'agents' }>>({
      kind: oneOf('agents'),
      agentIds: list(agentId),
      orWait: optional(oneOf(true)),
    }),
    question: record<QuestionWait>({
      kind: oneOf('question'),
      fingerprint: contentHash,
      prompt: text,
      schema: optional(map),
      expires: optional(expiry),
    }),
    approval: record<ApprovalWait>({
      kind: oneOf('approval'),
      gateId: text,
      message: optional(text),
      expires: optional(expiry),
      capability,
      prompt: optional(record<PromptFacts>({ sources: list(text), untrusted: list(text), tainted: flag })),
      sandbox: optional(oneOf('on', 'off')),
      effect: optional(oneOf('pure', 'idempotent', 'verifiable', 'unsafe')),
      taint: optional(list(text)),
      changed: optional(list(oneOf(...capabilityParts))),
    }),
  }),
);

/** Planned end of an agent. */
export interface AgentEnding {
  readonly outcome: string;
  readonly output?: string;
  readonly deliverables?: JsonObject;
  readonly error?: ErrorRecord;
}

export const agentEnding = record<AgentEnding>({
  outcome: text,
  output: optional(text),
  deliverables: optional(map),
  error: optional(errorRecord),
});
