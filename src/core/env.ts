import type { ContentHash } from './ids.ts';
import type { Ingestor } from './inbox/ingestor.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { LlmConfig } from './model/llm-config.ts';
import type { Content } from './prompt/message.ts';
import type { OfferedTool } from './model/model.ts';
import type { CompiledProfile, HandoverProtocol } from './profile/profile.ts';
import type { Secrets } from './secrets/secrets.ts';
import type { Recipe, RecipeOwner, StateDraft } from './patches/state-draft.ts';
import type { PatchedState } from './patches/state-patch.ts';
import type { Changes } from './patches/patch.ts';
import type { SubContext } from './state/sub-context.ts';
import type { RunContext } from './state/run-context.ts';
import type { Tool, ToolCatalog, ToolEffect } from './tool/tool.ts';
import type { ArgumentCheck } from './tool/argument-check.ts';
import type { ToolBound, ObserverRecord } from './state/turn.ts';
import type { Transaction } from './events/transaction.ts';

/** What raw argument text came to. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: JsonObject; readonly repaired: boolean }
  | { readonly ok: false; readonly code: 'TOOL_ARGUMENTS_INVALID' | 'TOOL_ARGUMENTS_TRUNCATED'; readonly message: string };

/** The tools one agent may call, prepared once per profile. */
export interface AgentTools {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly offered: readonly OfferedTool[];
  /** The JSON text of `offered`, for the record. */
  readonly offeredJson: string;
  /** The text of `tool_description` segments, without the tools of `outside`. */
  readonly description: string;
  /** The tools whose descriptions come from outside, by toolset: what is said of them is framed. */
  readonly outside: readonly OutsideTools[];
  /** The toolsets among them whose descriptions come from outside. */
  readonly taint: readonly string[];
}

/** Tools of one toolset whose descriptions come from outside. */
export interface OutsideTools {
  readonly toolset: string;
  /** Their names as they are offered. */
  readonly names: ReadonlySet<string>;
  /** What `tool_description` segments say of them. */
  readonly description: string;
}

/** What an observer written in code is shown. */
export interface ObserverView {
  /** As it was before the observer ran; reading it costs what is read. */
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly params: JsonObject;
  /** The agent's and the team's state, to be changed by writing to it. */
  readonly draft: StateDraft;
}

/** An observer written in code. It may throw: the failure is recorded, none of it is done, and the turn goes on. */
export interface CodedObserver {
  readonly name: string;
  /** Writes to `draft`, returns a list of what else it wants done, or both; at once, without await. */
  readonly observe: (view: ObserverView) => readonly ObserverResult[] | void;
}

/** What a coded observer wants done. */
export type ObserverResult =
  | { readonly type: 'add_to_inbox'; readonly target?: string; readonly source: string; readonly payload: JsonValue }
  | {
      readonly type: 'update_state';
      readonly operation: 'set' | 'increment' | 'append' | 'remove';
      readonly path: string;
      readonly value?: JsonValue;
    }
  /** Before a turn: binds its model call, or takes tools away for it. */
  | { readonly type: 'set_tool_choice'; readonly toolChoice: string }
  | { readonly type: 'filter_tools'; readonly only?: readonly string[]; readonly except?: readonly string[] };

/**
 * Everything a decision depends on besides state and input: compiled profiles and pure functions over them. The engine
 * puts it together; the parts know nothing of each other.
 */
export interface Env {
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** The config an agent of a profile speaks with; without the agent, what the profile and the run say. */
  readonly llmConfig: (profile: CompiledProfile, run: RunContext, agent?: SubContext) => LlmConfig;
  /** The LLM config of a name. */
  readonly llmConfigOf: (name: string) => LlmConfig;
  /** Who words the titles of runs; absent = nobody. */
  readonly titles?: { readonly llmConfig: string };
  readonly catalog: ToolCatalog;
  /** The tools an agent has in the current turn; `bound` is what observers made of those of the turn to come. */
  readonly toolsOf: (profile: CompiledProfile, agent: SubContext, bound?: ToolBound) => AgentTools;
  readonly ingestor: (name: string) => Ingestor | undefined;
  readonly observe: (
    tx: Transaction,
    agent: SubContext,
    profile: CompiledProfile,
    phase: ObserverPhase,
  ) => readonly ObserverRecord[];
  readonly parseArguments: (
    input: string,
    options: { readonly effect: ToolEffect; readonly finishedCleanly: boolean },
  ) => ParsedArguments;
  readonly checkSchema: (schema: JsonObject, value: unknown) => ArgumentCheck;
  /** Fits a tool's returned value for the model: content, and the uncut text when it had to be cut. */
  readonly toResult: (returned: unknown, maxChars: number, options?: ResultOptions) => FittedResult;
  /** Runs code that changes state by writing to a draft; throws when it may not. What it changed holds no secrets. */
  readonly recipe: (state: PatchedState, recipe: Recipe, owner: RecipeOwner) => Changes;
  readonly hash: (text: string) => ContentHash;
  /** What must never be recorded. */
  readonly secrets: Secrets;
}

/** When observers run: before a turn, after its reply, or after its model call failed (those that name `turn.error`). */
export type ObserverPhase = 'pre' | 'post' | 'error';

/** How a returned value is fitted. */
export interface ResultOptions {
  /** Names where the uncut text will be found. */
  readonly address?: ((full: string) => string) | undefined;
  /** It came from outside: invisible characters are taken out of it. */
  readonly isOutside?: boolean;
}

/** A tool's result as the model will read it. */
export interface FittedResult {
  readonly content: Content;
  readonly isError: boolean;
  readonly items: readonly { readonly source: string; readonly payload: JsonValue; readonly to?: string }[];
  /** Values for the state of the agent that called. */
  readonly values?: JsonObject;
  readonly update?: Recipe;
  /** The uncut text, when it was cut. */
  readonly full?: string;
  /** How many invisible characters were taken out of it. */
  readonly cleaned?: number;
}
