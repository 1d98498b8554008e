import type { AgentId, ContentHash } from '../ids.ts';
import type { Capability, CapabilityPart } from '../state/capability.ts';
import type { JsonObject } from '../json.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';
import type { ToolEffect } from './tool-effect.ts';

/** Privileges of the programs that a tool starts: sandboxed, or with all rights of the engine. */
export type SandboxUse = 'on' | 'off';

/** Id under which a tool that needs approval asks by itself, where the gates of a profile have theirs; no gate may have it. */
export const ownApprovalGate = 'needs_approval';

/** Automatic answer to a call that waits for a person. */
export interface Expiry {
  /** Milliseconds, also counted while the run has no owner. */
  readonly afterMs: number;
  /** The automatic verdict; an unanswered question is always denied. */
  readonly verdict: 'deny' | 'allow';
}

/** Condition for resuming a suspended call. */
export type WaitFor =
  /** Resumes each time one of these agents ends; with `orWait`, also when one waits for a message. */
  { readonly kind: 'agents'; readonly agentIds: readonly AgentId[]; readonly orWait?: true } | QuestionWait | ApprovalWait;

/** What a tool that suspends its call waits for; approvals are requested by gates. */
export type Suspension = Extract<WaitFor, { kind: 'agents' }> | Question;

/** A question to a person; `schema` describes a valid answer. */
export interface Question {
  readonly kind: 'question';
  readonly prompt: string;
  readonly schema?: JsonObject;
  readonly expires?: Expiry;
}

/** A question that was put before a person. */
export interface QuestionWait extends Question {
  /** Hash of what is shown: the call, the question, and the answers it allows. */
  readonly fingerprint: ContentHash;
}

/** Most agents that are compared one by one. */
const fewAgents = 16;

/** Pure cache: keyed by a list of agents, which never changes; each of a thousand agents that end is looked up in it. */
const listed = new WeakMap<readonly AgentId[], ReadonlySet<AgentId>>();

/** True when a call waits for this agent, among others. */
export function waitsForAgent(waitFor: WaitFor, agentId: AgentId): boolean {
  if (waitFor.kind !== 'agents') return false;
  const { agentIds } = waitFor;
  if (agentIds.length <= fewAgents) return agentIds.includes(agentId);
  let set = listed.get(agentIds);
  if (set === undefined) listed.set(agentIds, (set = new Set(agentIds)));
  return set.has(agentId);
}

/** A person must approve the call itself; set by gates, not by tools. */
export interface ApprovalWait {
  readonly kind: 'approval';
  readonly gateId: string;
  readonly message?: string;
  readonly expires?: Expiry;
  /** The capability to approve; its fingerprint is that of what is shown. */
  readonly capability: Capability;
  /** Provenance of the model's prompt when it made the call; absent in journals of earlier versions. */
  readonly prompt?: PromptFacts;
  /** Sandbox use of the programs that the tool starts; absent when it starts none. */
  readonly sandbox?: SandboxUse;
  /** Safety of repeating the call; absent for `unsafe`. */
  readonly effect?: ToolEffect;
  /** Untrusted sources of the state that the message quotes. */
  readonly taint?: readonly string[];
  /** Parts that changed since a person approved this call, which is why it is asked again. */
  readonly changed?: readonly CapabilityPart[];
}
