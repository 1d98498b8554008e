import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { EventDraft } from '../events/event.ts';
import type { AgentEnding } from '../events/tool-events.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { CompiledProfile, HandoverProtocol } from '../profile/profile.ts';
import type { Scope } from '../expression/expression.ts';
import type { Recipe } from '../patches/state-draft.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { ModuleActor } from '../team/work-module.ts';
import type { ArgumentCheck } from './argument-check.ts';
import type { WaitFor } from './wait-for.ts';

/** Something a suspended call waited for has happened. */
export type Happening =
  | { readonly kind: 'agent_ended'; readonly agentId: AgentId }
  /** It has not ended, and does nothing before it is spoken to. */
  | { readonly kind: 'agent_waits'; readonly agentId: AgentId }
  | { readonly kind: 'answer'; readonly value: JsonValue };

/** What a transition tool decided: a result, or to wait; with events that commit together with it (I7). */
export type TransitionOutcome =
  | {
      readonly kind: 'result';
      readonly content: Content | JsonValue;
      readonly isError?: boolean;
      readonly events?: readonly EventDraft[];
      /** Changes state by writing to a draft, before the events. */
      readonly update?: Recipe;
      /** Agents below the calling one that have not ended and whose words the result holds. */
      readonly quotes?: readonly AgentId[];
      /** Ends the calling agent in this way when the call has ended. */
      readonly end?: AgentEnding;
    }
  | {
      readonly kind: 'suspend';
      readonly on: WaitFor;
      readonly memo: JsonValue;
      readonly events?: readonly EventDraft[];
      readonly update?: Recipe;
    };

/** What a transition tool may look at. State is read-only; change goes through the returned events. */
export interface TransitionContext {
  readonly at: number;
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly callId: CallId;
  readonly turnId: TurnId;
  /** The roots conditions see, for the calling agent. */
  readonly scope: Scope;
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** The next free agent ids for these profiles, in order; nothing is taken until `agent.start` is committed. */
  agentIds(profiles: readonly string[]): readonly AgentId[];
  /** Draft for an item into an agent's inbox; the engine gives it its id. */
  item(to: AgentId, source: string, payload: JsonValue, options?: { readonly noHandover?: boolean }): EventDraft;
  /**
   * Runs a recipe on the state of the calling agent and its team, and returns the event of what it changed, which belongs among those of the
   * outcome; none when nothing changed. `moves`: whose moves of work modules it may make; `on`: a run as earlier changes of this decision
   * leave it.
   */
  change(recipe: Recipe, options?: { readonly moves?: ModuleActor; readonly on?: RunContext }): readonly EventDraft[];
  /** Checks a value against a JSON Schema. */
  check(schema: JsonObject, value: JsonValue): ArgumentCheck;
}
