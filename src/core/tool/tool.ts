import type { AgentId, CallId, RunId, TurnId } from '../ids.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../json.ts';
import type { EventDraft } from '../events/event.ts';
import type { ResourceScopes } from './resource-scope.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import type { TransitionContext, TransitionOutcome, ResumeCause } from './transition.ts';
import type { ArgumentCheck } from './argument-check.ts';
import type { ToolEffect } from './tool-effect.ts';
import type { SandboxUse } from './wait-for.ts';

/** Reaction to a call whose outcome cannot be determined: inform the model, ask a person, or end the agent with an error. */
export type OnUnknown = 'tell_model' | 'ask_human' | 'fail';

/**
 * Overlap of one reply's calls: `parallel` freely; `serial` in the order given, one after another; `exclusive` alone (no other
 * tool of the same agent runs at the same time).
 */
export type ToolConcurrency = 'parallel' | 'serial' | 'exclusive';

/** Text that a tool adds to the system prompt of agents that may call it. */
export interface ContextContribution {
  readonly id: string;
  readonly order: number;
  readonly text: string;
  readonly condition?: string;
}

/** Fields of both kinds of tools. */
export interface ToolBase {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly toolset: string;
  /** Kind of its toolset, which settings by kind refer to, whatever the toolset's name. Absent when it has none. */
  readonly toolsetKind?: string;
  readonly effect: ToolEffect;
  /** Name of the tool that checks whether a `verifiable` call took effect. */
  readonly verify?: string;
  /** Reaction to a call of unknown outcome; `tell_model` when absent. */
  readonly onUnknown?: OnUnknown;
  readonly concurrency: ToolConcurrency;
  /** A successful call ends the calling agent. */
  readonly endsFlow: boolean;
  /** Must be the only call of its reply; otherwise it is refused, and the other calls run. */
  readonly unique: boolean;
  readonly timeoutMs: number;
  /** Longest result that reaches the model, in characters; longer ones keep head and tail around a marker. */
  readonly maxResultChars: number;
  /** Framing of the result for the model: as the tool returned it, or by the TOOL_RESULT strategy's ingestor. */
  readonly handoverProtocol?: string;
  readonly contextContributions: readonly ContextContribution[];
  /** Longer instructions, rendered by `tool_description` segments. */
  readonly guide?: string;
  /** Description and schema come from outside: prompts that offer it count its toolset as untrusted. */
  readonly descriptionTrust?: 'untrusted';
  /** A person must approve each call, unless a gate of the profile covers the tool. */
  readonly needsApproval?: boolean;
  /** Changes when the tool's server describes it differently, which revokes earlier approvals. */
  readonly fingerprint?: string;
  /** Returns the settings of its toolset for a run's request values; approvals are bound to their hash. They may hold secrets. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Absent when it starts no programs. */
  readonly sandbox?: SandboxUse;
  /** Only checks whether something is ready: repeating it with the same result is not stagnation. */
  readonly polls?: boolean;
  /** Its results are shown whole: `context_policy.result_preview` does not shorten them. */
  readonly wholeResult?: boolean;
  /** `*` in a profile does not include it: the profile must name the tool or its toolset. */
  readonly byNameOnly?: boolean;
  /** Returns the tool for agents of a profile, or undefined to withhold it. Absent = the tool itself. */
  readonly forProfile?: (profile: CompiledProfile, profiles: ReadonlyMap<string, CompiledProfile>) => Tool | undefined;
  /** `untrusted` results are framed as data. */
  readonly trust: 'trusted' | 'untrusted';
  readonly check: (args: JsonObject) => ArgumentCheck;
}

/** Context of an effect tool's call, besides the arguments. */
export interface ToolContext {
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** The engine's call id; other runs have calls with the same one. */
  readonly toolCallId: CallId;
  /**
   * Key for services that perform a request once per key: the same for every attempt at this call, in any process, and unique to
   * this request (run, call, tool and arguments). Letters, digits, `_`, `.` and `-`.
   */
  readonly idempotencyKey: string;
  readonly providerCallId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Reports progress: `fraction` 0 to 1, and a short note. Streamed live; the last notes are stored with the result. */
  progress(fraction: number, note?: string): void;
  /** Read-only views, in the shape that conditions see. */
  readonly agent: JsonObject;
  readonly team: JsonObject;
  /** Values of the run's request, as passed to `engine.launch({ request })`. */
  readonly request: JsonObject;
  /** Values passed to `engine.launch({ context })`; never journaled. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Absolute path of the run's workspace: an existing folder, and the only one that tools may write to. */
  readonly workspace: string;
  /** Returns a stored text of this run by its hash, such as the omitted part of a result. */
  readonly stored: (hash: string) => string | undefined;
  /** Live resources shared between calls: shells, browsers, connections. */
  readonly live: ResourceScopes;
}

/** A tool that runs outside the commit and may be asynchronous. */
export interface EffectTool extends ToolBase {
  readonly kind: 'effect';
  /** Changes files in this process, and ends soon after it was told to stop: an engine closes only when it has. */
  readonly finishes?: true;
  readonly execute: (args: JsonObject, context: ToolContext) => unknown;
}

/** A tool that is a synchronous, pure function of state and runs inside the commit (I7). */
export interface TransitionTool extends ToolBase {
  readonly kind: 'transition';
  readonly run: (args: JsonObject, context: TransitionContext) => TransitionOutcome;
  /** Called when an event that a suspended call waits for has happened. */
  readonly resume?: (args: JsonObject, context: TransitionContext, happening: ResumeCause, memo: JsonValue) => TransitionOutcome;
  /** Called when a suspended call is cancelled, after everything it started has ended; returns events that leave team state consistent. */
  readonly cancel?: (args: JsonObject, context: TransitionContext, memo: JsonValue) => readonly EventDraft[];
}

/** Any tool in the engine's form. */
export type Tool = EffectTool | TransitionTool;

/** Finds tools and translates their names to and from the wire. */
export interface ToolCatalog {
  get(name: string): Tool | undefined;
  names(): readonly string[];
  toolsets(): readonly string[];
  inToolset(toolset: string): readonly Tool[];
  wireName(name: string): string;
  fromWire(wire: string): string;
}
