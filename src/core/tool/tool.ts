import type { AgentId, CallId, RunId, TurnId } from '../ids.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../json.ts';
import type { EventDraft } from '../events/event.ts';
import type { ResourceScopes } from './resource-scope.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import type { TransitionContext, TransitionOutcome, Happening } from './transition.ts';
import type { ArgumentCheck } from './argument-check.ts';
import type { SandboxUse } from './wait-for.ts';

/** What recovery may assume about repeating a tool (DESIGN 4): `unsafe` is the default. */
export type ToolEffect = 'pure' | 'idempotent' | 'verifiable' | 'unsafe';

/**
 * What happens to a call when nobody can tell whether it happened: the model is told, a person is asked, or its agent ends
 * with an error.
 */
export type OnUnknown = 'tell_model' | 'ask_human' | 'fail';

/**
 * How calls of one reply may overlap: `parallel` freely; `serial` in the order given, one after another;
 * `exclusive` alone (no other tool of the same agent runs at the same time).
 */
export type ToolConcurrency = 'parallel' | 'serial' | 'exclusive';

/** Text a tool adds to the system prompt of agents that may call it. */
export interface ContextContribution {
  readonly id: string;
  readonly order: number;
  readonly text: string;
  readonly condition?: string;
}

/** What both kinds of tools have in common. */
export interface ToolBase {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly toolset: string;
  /** The kind of its toolset: what is said of a kind holds for toolsets of every name. Absent when it is of none. */
  readonly toolsetKind?: string;
  readonly effect: ToolEffect;
  /** The tool that finds out whether a `verifiable` call happened. */
  readonly verify?: string;
  /** What to do about a call of unknown outcome; `tell_model` when absent. */
  readonly onUnknown?: OnUnknown;
  readonly concurrency: ToolConcurrency;
  /** A successful call ends the agent that made it. */
  readonly endsFlow: boolean;
  /** Must be the only call of its reply; together with others it is refused, and the others run. */
  readonly unique: boolean;
  readonly timeoutMs: number;
  /** Longest result, in characters, that reaches the model; more is cut head and tail with a marker. */
  readonly maxResultChars: number;
  /** How the result is framed for the model: as the tool returned it, or by the TOOL_RESULT strategy's ingestor. */
  readonly handoverProtocol?: string;
  readonly contextContributions: readonly ContextContribution[];
  /** A longer text on how to use the tool, rendered by `tool_description` segments. */
  readonly guide?: string;
  /** Its description and schema come from outside: prompts that offer it count its toolset as untrusted. */
  readonly descriptionTrust?: 'untrusted';
  /** A person must approve each call, unless a gate of the profile speaks of the tool. */
  readonly needsApproval?: boolean;
  /** Changes when the tool's server describes it differently: what a person allowed before holds no longer. */
  readonly fingerprint?: string;
  /** The settings of its toolset for the values of a run's request: an approval is bound to their hash. They may hold secrets. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Absent when it starts no programs. */
  readonly sandbox?: SandboxUse;
  /** Only looks whether something is ready: calling it again with the same result is no stagnation. */
  readonly polls?: boolean;
  /** Its results are shown as they are: `context_policy.result_preview` does not shorten them. */
  readonly wholeResult?: boolean;
  /** `*` in a profile does not cover it: the profile must name the tool or its toolset. */
  readonly byNameOnly?: boolean;
  /** The tool as agents of a profile get it; undefined when they get none. The tool itself, when absent. */
  readonly forProfile?: (profile: CompiledProfile, profiles: ReadonlyMap<string, CompiledProfile>) => Tool | undefined;
  /** Marks the result as text from outside that must be framed as data. */
  readonly trust: 'trusted' | 'untrusted';
  readonly check: (args: JsonObject) => ArgumentCheck;
}

/** What an effect tool gets besides its arguments. */
export interface ToolContext {
  readonly runId: RunId;
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** The engine's call id; other runs have calls with the same one. */
  readonly toolCallId: CallId;
  /**
   * The key to hand to services that do a request once per key: the same for every attempt at this call, in any process, and never
   * that of another request (another run, call, tool or arguments). Letters, digits, `_`, `.` and `-`.
   */
  readonly idempotencyKey: string;
  readonly providerCallId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Reports progress: `fraction` 0 to 1, and a short note. Live only, the last notes are kept with the result. */
  progress(fraction: number, note?: string): void;
  /** Read-only views, in the same shape as conditions see them. */
  readonly agent: JsonObject;
  readonly team: JsonObject;
  /** The values of the request the run answers, as `engine.launch({ request })` was given them. */
  readonly request: JsonObject;
  /** Values handed to `engine.launch({ context })`; never journaled. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The absolute path of the run's workspace: a folder that exists, and the only one tools may write to. */
  readonly workspace: string;
  /** A text of this run that is stored, by its hash: what was cut out of results. */
  readonly stored: (hash: string) => string | undefined;
  /** What is live and shared between calls: shells, browsers, connections. */
  readonly live: ResourceScopes;
}

/** A tool that runs outside the commit and may wait. */
export interface EffectTool extends ToolBase {
  readonly kind: 'effect';
  readonly execute: (args: JsonObject, context: ToolContext) => unknown;
}

/** A tool that is a synchronous, pure function of state and runs inside the commit (I7). */
export interface TransitionTool extends ToolBase {
  readonly kind: 'transition';
  readonly run: (args: JsonObject, context: TransitionContext) => TransitionOutcome;
  /** Called when something a suspended call waits for has happened. */
  readonly resume?: (args: JsonObject, context: TransitionContext, happening: Happening, memo: JsonValue) => TransitionOutcome;
  /** Called when a suspended call is cancelled, after everything it started has ended: events that leave team state in order. */
  readonly cancel?: (args: JsonObject, context: TransitionContext, memo: JsonValue) => readonly EventDraft[];
}

/** Any tool as the engine holds it. */
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
