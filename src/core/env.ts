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
import type { Tool, ToolCatalog } from './tool/tool.ts';
import type { ToolEffect } from './tool/tool-effect.ts';
import type { ArgumentCheck } from './tool/argument-check.ts';
import type { ToolBound, ObserverRecord } from './state/turn.ts';
import type { Transaction } from './events/transaction.ts';

/** Result of parsing argument text. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: JsonObject; readonly repaired: boolean }
  | { readonly ok: false; readonly code: 'TOOL_ARGUMENTS_INVALID' | 'TOOL_ARGUMENTS_TRUNCATED'; readonly message: string };

/** The tools of one agent, prepared once per profile. */
export interface AgentTools {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly offered: readonly OfferedTool[];
  /** JSON text of `offered`, for the journal. */
  readonly offeredJson: string;
  /** Text of `tool_description` segments, without the tools of `outside`. */
  readonly description: string;
  /** Tools with untrusted descriptions, by toolset: their descriptions are framed. */
  readonly outside: readonly OutsideTools[];
  /** Toolsets with untrusted descriptions. */
  readonly taint: readonly string[];
}

/** Tools of one toolset with untrusted descriptions. */
export interface OutsideTools {
  readonly toolset: string;
  /** Their offered names. */
  readonly names: ReadonlySet<string>;
  /** Their text in `tool_description` segments. */
  readonly description: string;
}

/** Input of an observer written in code. */
export interface ObserverView {
  /** The run before the observer's changes; a lazy read-only view. */
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly params: JsonObject;
  /** The agent's and the team's state, to be changed by writing to it. */
  readonly draft: StateDraft;
}

/** An observer written in code. If it throws, the failure is recorded, its changes are discarded, and the turn goes on. */
export interface CodedObserver {
  readonly name: string;
  /** Writes to `draft`, returns a list of further actions, or both; synchronously. */
  readonly observe: (view: ObserverView) => readonly ObserverResult[] | void;
}

/**
 * Action that a coded observer requests. Its text counts as untrusted once the run holds untrusted text, which the code could read: an item is
 * framed. `trust: 'trusted'` says that the code wrote all of it itself.
 */
export type ObserverResult =
  | {
      readonly type: 'add_to_inbox';
      readonly target?: string;
      readonly source: string;
      readonly payload: JsonValue;
      readonly trust?: 'trusted';
    }
  | {
      readonly type: 'update_state';
      readonly operation: 'set' | 'increment' | 'append' | 'remove';
      readonly path: string;
      readonly value?: JsonValue;
      readonly trust?: 'trusted';
    }
  /** Before a turn: restricts its tool choice, or removes tools for it. */
  | { readonly type: 'set_tool_choice'; readonly toolChoice: string }
  | { readonly type: 'filter_tools'; readonly only?: readonly string[]; readonly except?: readonly string[] };

/**
 * Everything that a decision depends on besides state and input: compiled profiles and pure functions over them. The engine
 * assembles it; the parts do not know each other.
 */
export interface Env {
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** Returns the LLM config of an agent; without the agent, that of the profile in the run. */
  readonly llmConfig: (profile: CompiledProfile, run: RunContext, agent?: SubContext) => LlmConfig;
  /** Returns the LLM config of a name. */
  readonly llmConfigOf: (name: string) => LlmConfig;
  /** LLM config that generates the titles of runs; absent = titles are not generated. */
  readonly titles?: { readonly llmConfig: string };
  readonly catalog: ToolCatalog;
  /** Returns an agent's tools in the current turn; `bound` is the observers' change to those of the coming turn. */
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
  /** Fits a tool's returned value for the model: content, and the full text when it had to be cut. */
  readonly toResult: (returned: unknown, maxChars: number, options?: ResultOptions) => FittedResult;
  /** Runs code that changes state by writing to a draft; throws when a change is not allowed. The changes are redacted. */
  readonly recipe: (state: PatchedState, recipe: Recipe, owner: RecipeOwner) => Changes;
  readonly hash: (text: string) => ContentHash;
  /** The values that must never be recorded. */
  readonly secrets: Secrets;
}

/** Time of an observer's run: before a turn, after its reply, or after its failed model call (those that name `turn.error`). */
export type ObserverPhase = 'pre' | 'post' | 'error';

/** Options for fitting a returned value. */
export interface ResultOptions {
  /** Returns the address of the full text. */
  readonly address?: ((full: string) => string) | undefined;
  /** The value is untrusted: invisible characters are removed. */
  readonly isOutside?: boolean;
}

/** A tool's result in the form for the model. */
export interface FittedResult {
  readonly content: Content;
  readonly isError: boolean;
  readonly items: readonly { readonly source: string; readonly payload: JsonValue; readonly to?: string }[];
  /** Values for the state of the calling agent. */
  readonly values?: JsonObject;
  readonly update?: Recipe;
  /** The full text, when it was cut. */
  readonly full?: string;
  /** Number of invisible characters removed. */
  readonly cleaned?: number;
  /** True for a text in which invisible characters were looked for and none was removed. */
  readonly isClean?: true;
}
