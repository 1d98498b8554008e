import type { AgentId } from '../ids.ts';
import type { Capability, CapabilityPart } from '../state/capability.ts';
import type { JsonObject } from '../json.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';

/** Where the programs that a tool starts run: in the sandbox, or with all rights of the engine. */
export type SandboxUse = 'on' | 'off';

/** When a call that waits for a person is answered without one. */
export interface Expiry {
  /** Milliseconds, counted always: also while the run lies still or no process has it. */
  readonly afterMs: number;
  /** What holds then; a question nobody answers is always denied. */
  readonly verdict: 'deny' | 'allow';
}

/** What a suspended call waits for. */
export type WaitFor =
  /** Called back each time one of these agents ends; with `orWait`, also when one waits for whoever asked it to work. */
  | { readonly kind: 'agents'; readonly agentIds: readonly AgentId[]; readonly orWait?: true }
  /** A person must answer; `schema` describes a valid answer. */
  | { readonly kind: 'question'; readonly prompt: string; readonly schema?: JsonObject; readonly expires?: Expiry }
  | ApprovalWait;

/** A person must approve the call itself; set by gates, not by tools. */
export interface ApprovalWait {
  readonly kind: 'approval';
  readonly gateId: string;
  readonly message?: string;
  readonly expires?: Expiry;
  /** What the person is asked to agree to; absent in journals of earlier versions. */
  readonly capability?: Capability;
  /** Where what the model was looking at came from when it made the call; absent in journals of earlier versions. */
  readonly prompt?: PromptFacts;
  /** Whether the programs that the tool starts run in the sandbox; absent when it starts none. */
  readonly sandbox?: SandboxUse;
  /** Why the person is asked again: what has changed since a person agreed to this call. */
  readonly changed?: readonly CapabilityPart[];
}
