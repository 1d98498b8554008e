import type { Checkpoint } from './checkpoint.ts';
import type { ContextPolicy } from './context-policy.ts';
import type { OutputFormat } from '../prompt/output-format.ts';
import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { ModelPrices } from '../model/model-price.ts';
import type { LlmConfig } from '../model/llm-config.ts';
import { type Planner, mayAskModel } from './planner.ts';
import type { EscalationStep } from './escalation.ts';
import type { Strategy } from '../inbox/strategy.ts';
import type { ArgumentCheck } from '../tool/argument-check.ts';
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
  /** For `static_text`: its own content, or the resolved text definition that it names. */
  readonly content?: Template;
  readonly contentKey?: string;
  /** For `state_value`: the path to read and the ingestor that formats it. */
  readonly path?: string;
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
  readonly source: SourceRef;
}

/** One change by an `update_state` action, relative to the agent's state (`flags.n`) or to `team.shared.…`. */
export interface StateUpdate {
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  readonly path: string;
  readonly value?: ValueTemplate;
}

/** Action of an observer when its condition holds. */
export type ObserverAction =
  | {
      readonly type: 'add_to_inbox';
      /** `self`, `parent`, `partner`, `principal`, or an agent id. */
      readonly target: string;
      readonly item: ItemTemplate;
    }
  | { readonly type: 'update_state'; readonly updates: readonly StateUpdate[] }
  /** Before a turn: restricts its model call to this tool choice: auto, none, required, or a tool's name. */
  | { readonly type: 'set_tool_choice'; readonly toolChoice: string }
  /** Before a turn: removes tools for it; names of tools and of toolsets. */
  | { readonly type: 'filter_tools'; readonly only?: readonly string[]; readonly except?: readonly string[] }
  /** Calls an observer written in code, by name. */
  | { readonly type: 'call'; readonly observer: string; readonly params: JsonObject };

/** A declarative observer. */
export interface CompiledObserver {
  readonly id: string;
  /** Absent = always. */
  readonly condition?: Expression;
  readonly action: ObserverAction;
  readonly source: SourceRef;
}

/** Action of a flow decider rule. */
export type DeciderAction =
  | { readonly type: 'continue_with_tool' }
  | { readonly type: 'loop_with_inbox_item'; readonly item: ItemTemplate }
  | { readonly type: 'await_user_input' }
  | { readonly type: 'end_agent_turn'; readonly outcome: string; readonly errorMessage?: Template; readonly output?: Template }
  | { readonly type: 'call_tool'; readonly tool: string; readonly args: ValueTemplate }
  /** Waits for items of these sources only. */
  | { readonly type: 'await'; readonly on: readonly string[] }
  | { readonly type: 'retry_turn' }
  /** Loops, and restricts the next model call to this tool choice: auto, none, required, or a tool's name. */
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
  /** Depth of the deepest agent below the root. */
  readonly maxDepth: number;
  /** Children that one agent may start. */
  readonly maxChildren: number;
  /** Agents at work at the same time: in the whole run, or one agent and all below it. */
  readonly maxLive: number;
  /** Agents ever started: in the whole run, or one agent and all below it. */
  readonly maxTotal: number;
  /** Share of a limit (0 to 1) at which the agent is warned to wrap up. */
  readonly softAt: number;
}

/** Bounds of one work module, over all attempts and all agents that work on it. */
export type ModuleLimits = Partial<Pick<Limits, 'maxTurns' | 'maxToolCalls' | 'maxTokens' | 'maxCostUsd' | 'maxWallMs'>>;

/** Limits in a profile: those of each of its agents, and of each work module they dispatch. */
export type ProfileLimits = Partial<Limits> & {
  readonly perModule?: ModuleLimits;
  /** Behaviour of a launch when an agent of the profile has a cost limit and a model without a price; `refuse` when absent. */
  readonly onUnknownCost?: UnknownCost;
};

/** Behaviour when a cost limit cannot be enforced because a model has no price. */
export type UnknownCost = 'refuse' | 'warn';

/** Rule that decides whether a tool call may run. */
export interface ToolGate {
  readonly id: string;
  readonly tools: readonly string[];
  readonly toolsets: readonly string[];
  /** Sees the usual roots and `args`. */
  readonly condition?: Expression;
  readonly verdict: 'allow' | 'deny' | 'ask';
  /** Text for the model or for the asked person; sees the same roots as the condition. */
  readonly message?: Template;
  /** For `ask`: expiry of the wait for a person; absent = never. */
  readonly expires?: Expiry;
  readonly source: SourceRef;
}

/** A profile exposed as a tool to other agents. */
export interface ExposedAsTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly protocol?: string;
  /** Toolset that other profiles may allow instead of the name. */
  readonly toolset: string;
  /** Content of a successful call's result: the whole report, or the value at this path of it. */
  readonly result: string;
  /** Deepest nesting of agents of the profile. */
  readonly maxDepth: number;
  readonly concurrency: 'parallel' | 'serial' | 'exclusive';
  /** True when its agents accept more work, by their id, once they have ended or wait. */
  readonly isResumable: boolean;
  /** Longer description for agents that may call it. */
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
  /** Limits that the profile sets; those of the engine and the run fill the rest. */
  readonly limits: ProfileLimits;
  readonly toolGates: readonly ToolGate[];
  /** Escalation on stagnation; the default one unless the profile sets its own. */
  readonly stagnation: readonly EscalationStep[];
  /** Points where its agents wait for a person; the first one reached counts. */
  readonly checkpoints: readonly Checkpoint[];
  readonly toolChoice: string;
  readonly contextPolicy: ContextPolicy;
  readonly deliverablesSchema?: JsonSchema;
  /** Checks deliverables against `deliverablesSchema`; always ok without one. */
  readonly checkDeliverables: (value: JsonObject) => ArgumentCheck;
  /** Required form of its answer, when it ends with its own reply. */
  readonly output?: OutputFormat;
  readonly exposableAsTool?: ExposedAsTool;
  /** Profiles that it may call with `call_agent`. */
  readonly callableProfiles: readonly string[];
  /** Name of a registered function that answers its turns in place of a model, deterministically. */
  readonly functionNode?: string;
  /** Decides in place of a model, by rules, a script or a loop. */
  readonly planner?: Planner;
  /** Time limit of that function in milliseconds; two minutes when absent. */
  readonly functionTimeoutMs?: number;
  /** The resolved profile as plain data, in YAML spelling. */
  readonly resolved: JsonObject;
  /** Source of each value of `resolved`, by path (`system_prompt_construction.system_prompt_segments[id].content`). */
  readonly origins: ReadonlyMap<string, SourceRef>;
  readonly source: SourceRef;
}

/** One value that a handover inherits from the caller's side. */
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

/** Parameters that a caller must pass to an agent it starts, and the values inherited besides. */
export interface HandoverProtocol {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly contextParameters: JsonSchema;
  readonly inheritance: readonly InheritanceRule[];
  readonly targetSource: string;
  readonly source: SourceRef;
}

/** A profile file as loaded, kept so that a run can resume with exactly the files it started with. */
export interface ProfileFile {
  readonly path: string;
  readonly text: string;
}

/** Result of compiling a folder of profiles. */
export interface ProfileSet {
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly llmConfigs: ReadonlyMap<string, LlmConfig>;
  /** Model prices from the price files of the set, for configs without their own price. */
  readonly prices: ModelPrices;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** Toolsets declared in files, by name. */
  readonly toolsets: ReadonlyMap<string, ToolsetConfig>;
  /** The team's facts, when the folder has a `team.yaml`; with several, those of the last one loaded. */
  readonly team?: TeamFacts;
  readonly files: readonly ProfileFile[];
  /** Real paths of the folders that the files were read from, included teams among them; absent for files in memory. */
  readonly folders?: readonly string[];
  readonly warnings: readonly Diagnostic[];
}

/** One problem in a file, with its place and a hint about allowed values. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly source: SourceRef;
  readonly hint?: string;
}

/** True when agents of a profile call a model; false when a function or a planner answers every turn. */
export function usesModel({ functionNode, planner }: Pick<CompiledProfile, 'functionNode' | 'planner'>): boolean {
  return functionNode === undefined && (planner === undefined || mayAskModel(planner));
}

/**
 * True when an observer or a rule also handles failed model calls: its condition names `turn.error`. Others are skipped after a
 * failure, so that a condition written for replies never takes an error for an answer.
 */
export function handlesErrors(of: { readonly condition?: Expression }): boolean {
  return of.condition?.paths.some((path) => path === 'turn.error' || path.startsWith('turn.error.')) === true;
}

/** Contents of the `team.yaml` in a profiles folder. */
export interface TeamFacts {
  readonly name: string;
  readonly description?: string;
  /** Profile of runs launched without one. */
  readonly defaultProfile?: string;
  /** LLM config used instead of every profile's own, unless a launch names one. */
  readonly llmConfig?: string;
  /** LLM config that generates the titles of its runs. */
  readonly titles?: { readonly llmConfig: string };
}
