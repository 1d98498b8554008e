import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { EventDraft } from '../events/event.ts';
import type { AgentEnding } from '../events/tool-parts.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { CompiledProfile, HandoverProtocol } from '../profile/profile.ts';
import type { Scope } from '../expression/expression.ts';
import type { StateQuotes } from '../untrusted/quote-state.ts';
import type { Labels } from '../untrusted/taint.ts';
import type { Origins } from '../untrusted/watch-scope.ts';
import type { Recipe } from '../patches/state-draft.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { ChangedModules } from '../team/module-changes.ts';
import type { ModuleActor } from '../team/work-module.ts';
import type { ArgumentCheck } from './argument-check.ts';
import type { Suspension } from './wait-for.ts';

/** An event that a suspended call waited for. */
export type ResumeCause =
  | { readonly kind: 'agent_ended'; readonly agentId: AgentId }
  /** The agent has not ended, and waits for a message. */
  | { readonly kind: 'agent_waits'; readonly agentId: AgentId }
  | { readonly kind: 'answer'; readonly value: JsonValue };

/** Decision of a transition tool: a result, or a suspension; with events that commit together with it (I7). */
export type TransitionOutcome =
  | {
      readonly kind: 'result';
      readonly content: Content | JsonValue;
      readonly isError?: boolean;
      readonly events?: readonly EventDraft[];
      /** Changes state by writing to a draft, before the events. */
      readonly update?: Recipe;
      /** Unfinished agents below the calling one whose text the result contains. */
      readonly quotes?: readonly AgentId[];
      /**
       * Untrusted sources of state or of other agents' text in the result, which is framed then. Those of the agents that the call waited for, or
       * quotes, are added.
       */
      readonly taint?: Labels;
      /** Ends the calling agent in this way when the call has ended. */
      readonly end?: AgentEnding;
    }
  | {
      readonly kind: 'suspend';
      readonly on: Suspension;
      readonly memo: JsonValue;
      readonly events?: readonly EventDraft[];
      readonly update?: Recipe;
    };

/** What a change of state may do, and to which state. */
export interface ChangeOptions {
  /** Actor whose moves of work modules it may make; the planner unless given. */
  readonly moves?: ModuleActor;
  /** The run as left by earlier changes of this decision. */
  readonly on?: RunContext;
  /** Untrusted sources of the values; unless given, those of everything that the agent has read. Empty for values that the tool itself makes. */
  readonly taint?: Labels;
}

/** How an item is posted. */
export interface ItemOptions {
  readonly noHandover?: boolean;
  /** Untrusted sources of what the payload quotes, framed. */
  readonly taint?: Labels;
}

/** Context of a transition tool's call. State is read-only; changes are returned as events. */
export interface TransitionContext {
  readonly at: number;
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly callId: CallId;
  readonly turnId: TurnId;
  /** The roots that conditions see, for the calling agent. */
  readonly scope: Scope;
  /** The arguments as another agent may be shown them: with untrusted text framed that a planner or a rule filled in from state. */
  readonly shownArgs: JsonObject;
  /** Untrusted sources of that text; undefined when there is none, and the arguments are the caller's own words. */
  readonly argsTaint: Labels | undefined;
  /** Frames untrusted text of state for another agent; `more` has the origins of roots that the scope lacks. */
  quotes(more?: Readonly<Record<string, Origins>>): StateQuotes;
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** Returns the next free agent ids for these profiles, in order; committing `agent.start` takes them. */
  agentIds(profiles: readonly string[]): readonly AgentId[];
  /** Drafts an item for an agent's inbox; the engine assigns its id. */
  item(to: AgentId, source: string, payload: JsonValue, options?: ItemOptions): EventDraft;
  /**
   * Runs a recipe on the state of the calling agent and its team, and returns the event of its changes, to be included in the
   * outcome's events; none when nothing changed.
   */
  change(recipe: Recipe, options?: ChangeOptions): readonly EventDraft[];
  /** Like `change`, for whole work modules: no draft is made of them, so that thousands can change in one call. */
  changeModules(modules: ChangedModules, options?: ChangeOptions): readonly EventDraft[];
  /** Checks a value against a JSON Schema. */
  check(schema: JsonObject, value: JsonValue): ArgumentCheck;
}
