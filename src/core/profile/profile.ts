import type { Checkpoint } from './checkpoint.ts';
import type { ContextPolicy } from './context-policy.ts';
import type { OutputFormat } from '../prompt/output-format.ts';
import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { ModelPrices } from '../model/model-price.ts';
import type { LlmConfig } from '../model/llm-config.ts';
import type { Planner } from './planner.ts';
import type { EscalationStep } from './escalation.ts';
import type { Strategy } from '../inbox/strategy.ts';
import type { ArgumentCheck } from '../tool/argument-check.ts';
import type { TeamFacts } from './team-facts.ts';
import type { ToolsetConfig } from '../tool/toolset-config.ts';
import type { Expiry } from '../tool/wait-for.ts';
import type { SourceRef } from './source-ref.ts';
import type { ValueTemplate, ItemTemplate } from './template.ts';

/** One piece of the system prompt. */
export interface CompiledSegment {
  readonly id: string;
  readonly type: 'static_text' | 'state_value' | 'tool_description' | 'tool_contributed_context';
  readonly order: number;
  readonly condition?: Expression;
  readonly wrapperTags?: readonly [string, string];
  /** For `static_text`: its own content, or the text definition it names, already looked up. */
  readonly content?: Template;
  readonly contentKey?: string;
  /** For `state_value`: what to read and who formats it. */
  readonly path?: string;
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
  readonly source: SourceRef;
}

/** One change an `update_state` action makes, relative to the agent's state (`flags.n`) or to `team.shared.…`. */
export interface StateUpdate {
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  readonly path: string;
  readonly value?: ValueTemplate;
}

/** What an observer does when its condition holds. */
export type ObserverAction =
  | {
      readonly type: 'add_to_inbox';
      /** `self`, `parent`, `partner`, `principal`, or an agent id. */
      readonly target: string;
      readonly item: ItemTemplate;
    }
  | { readonly type: 'update_state'; readonly updates: readonly StateUpdate[] }
  /** Before a turn: binds its model call to this choice: auto, none, required, or a tool's name. */
  | { readonly type: 'set_tool_choice'; readonly toolChoice: string }
  /** Before a turn: takes tools away for it; names of tools and of toolsets. */
  | { readonly type: 'filter_tools'; readonly only?: readonly string[]; readonly except?: readonly string[] }
  /** An observer written in code, found by name. */
  | { readonly type: 'call'; readonly observer: string; readonly params: JsonObject };

/** A declarative observer. */
export interface CompiledObserver {
  readonly id: string;
  /** Absent = always. */
  readonly condition?: Expression;
  readonly action: ObserverAction;
  readonly source: SourceRef;
}

/** What a rule of the flow decider decides. */
export type DeciderAction =
  | { readonly type: 'continue_with_tool' }
  | { readonly type: 'loop_with_inbox_item'; readonly item: ItemTemplate }
  | { readonly type: 'await_user_input' }
  | { readonly type: 'end_agent_turn'; readonly outcome: string; readonly errorMessage?: Template; readonly output?: Template }
  | { readonly type: 'call_tool'; readonly tool: string; readonly args: ValueTemplate }
  /** Waits for items of these sources only. */
  | { readonly type: 'await'; readonly on: readonly string[] }
  | { readonly type: 'retry_turn' }
  /** Loops with the next model call bound to this choice: auto, none, required, or a tool's name. */
  | { readonly type: 'set_tool_choice'; readonly toolChoice: string };

/** One rule of the flow decider; the first whose condition holds wins. */
export interface CompiledRule {
  readonly id: string;
  readonly condition?: Expression;
  readonly action: DeciderAction;
  readonly source: SourceRef;
}

/** Bounds of one agent or one run; every one has a default. */
export interface Limits {
  readonly maxTurns: number;
  readonly maxToolCalls: number;
  readonly maxTokens: number;
  readonly maxCostUsd: number;
  readonly maxWallMs: number;
  /** Deepest agent below the root. */
  readonly maxDepth: number;
  /** Children one agent may start. */
  readonly maxChildren: number;
  /** Agents at work at the same time: of the whole run, or below and with one agent. */
  readonly maxLive: number;
  /** Agents ever started: of the whole run, or below and with one agent. */
  readonly maxTotal: number;
  /** Share of a limit (0 to 1) at which the agent is told to wrap up. */
  readonly softAt: number;
}

/** Bounds of one work module, over all attempts and all agents at work on it. */
export type ModuleLimits = Partial<Pick<Limits, 'maxTurns' | 'maxToolCalls' | 'maxTokens' | 'maxCostUsd' | 'maxWallMs'>>;

/** What a profile says of limits: those of each of its agents, and of each work module they dispatch. */
export type ProfileLimits = Partial<Limits> & {
  readonly perModule?: ModuleLimits;
  /** What a launch does when an agent of the profile has a limit on money and a model without a price; `refuse` when absent. */
  readonly onUnknownCost?: UnknownCost;
};

/** What is done about a limit on money that cannot be held, since a model has no price. */
export type UnknownCost = 'refuse' | 'warn';

/** Who decides whether a tool call may run. */
export interface ToolGate {
  readonly id: string;
  readonly tools: readonly string[];
  readonly toolsets: readonly string[];
  /** Sees the usual roots and `args`. */
  readonly condition?: Expression;
  readonly verdict: 'allow' | 'deny' | 'ask';
  /** What the model, or the person who is asked, is told; sees what the condition sees. */
  readonly message?: Template;
  /** For `ask`: when the call is answered although nobody decided; never, when absent. */
  readonly expires?: Expiry;
  readonly source: SourceRef;
}

/** A profile exposed as a tool to other agents. */
export interface ExposedAsTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly protocol?: string;
  /** What other profiles allow it by, besides its name. */
  readonly toolset: string;
  /** What a successful call answers with: the whole report, or what stands at this path of it. */
  readonly result: string;
  /** Most agents of the profile one above the other. */
  readonly maxDepth: number;
  readonly concurrency: 'parallel' | 'serial' | 'exclusive';
  /** Whether its agents can be given more to do, by their id, once they have ended or wait. */
  readonly isResumable: boolean;
  /** A longer text for those who may call it. */
  readonly guide?: string;
}

/** A profile after inheritance, validation and compilation: everything the engine needs to run an agent. */
export interface CompiledProfile {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly rev: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  readonly availableForStaffing: boolean;
  readonly llmConfigRef: string;
  /** Sorted by order; ties keep file order. */
  readonly segments: readonly CompiledSegment[];
  readonly textDefinitions: ReadonlyMap<string, Template>;
  readonly allowedToolsets: readonly string[];
  readonly allowedTools: readonly string[];
  readonly preTurnObservers: readonly CompiledObserver[];
  readonly postTurnObservers: readonly CompiledObserver[];
  /** Never empty: profiles without rules get the default decider. */
  readonly flowDecider: readonly CompiledRule[];
  readonly strategies: ReadonlyMap<string, Strategy>;
  /** Only what the profile says; the engine's and run's limits fill the rest. */
  readonly limits: ProfileLimits;
  readonly toolGates: readonly ToolGate[];
  /** What is done when the agent gets nowhere; the default ladder unless the profile says otherwise. */
  readonly stagnation: readonly EscalationStep[];
  /** Where its agents wait for a person; the first that is reached counts. */
  readonly checkpoints: readonly Checkpoint[];
  readonly toolChoice: string;
  readonly contextPolicy: ContextPolicy;
  readonly deliverablesSchema?: JsonSchema;
  /** Checks deliverables against `deliverablesSchema`; always ok without one. */
  readonly checkDeliverables: (value: JsonObject) => ArgumentCheck;
  /** What its answer must look like, when it ends with its own reply. */
  readonly output?: OutputFormat;
  readonly exposableAsTool?: ExposedAsTool;
  /** The profiles it may call with `call_agent`. */
  readonly callableProfiles: readonly string[];
  /** A deterministic node instead of a model: the name of a registered function. */
  readonly functionNode?: string;
  /** Who decides in a model's place, by rules, a script or a loop. */
  readonly planner?: Planner;
  /** How long that function may take; two minutes unless the profile says. */
  readonly functionTimeoutMs?: number;
  /** The resolved profile as plain data, in YAML spelling. */
  readonly resolved: JsonObject;
  /** Where each value of `resolved` came from, by path (`system_prompt_construction.system_prompt_segments[id].content`). */
  readonly origins: ReadonlyMap<string, SourceRef>;
  readonly source: SourceRef;
}

/** One value a handover takes over from the caller's side. */
export interface InheritanceRule {
  readonly path?: string;
  readonly replace?: Readonly<Record<string, string>>;
  readonly pathToIterate?: string;
  readonly iterateOn?: Readonly<Record<string, string>>;
  readonly payloadKey: string;
  readonly title?: string;
  readonly schema?: JsonSchema;
  readonly condition?: Expression;
}

/** What a caller must hand over to an agent it starts, and what is inherited besides. */
export interface HandoverProtocol {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly contextParameters: JsonSchema;
  readonly inheritance: readonly InheritanceRule[];
  readonly targetSource: string;
  readonly source: SourceRef;
}

/** A file profiles were loaded from, kept so that a run can go on with exactly what it started with. */
export interface ProfileFile {
  readonly path: string;
  readonly text: string;
}

/** Everything a folder of profiles compiles to. */
export interface ProfileSet {
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly llmConfigs: ReadonlyMap<string, LlmConfig>;
  /** What models cost, by the price files of the set, for configs that say no price of their own. */
  readonly prices: ModelPrices;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** The toolsets that files declare, by name. */
  readonly toolsets: ReadonlyMap<string, ToolsetConfig>;
  /** The team, when the folder is one; with several, the last one loaded. */
  readonly team?: TeamFacts;
  readonly files: readonly ProfileFile[];
  readonly warnings: readonly Diagnostic[];
}

/** One problem of a file, at a place, with what is allowed. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly source: SourceRef;
  readonly hint?: string;
}
