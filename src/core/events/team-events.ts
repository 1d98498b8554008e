import type { AgentId, TurnId } from '../ids.ts';
import type { JsonValue } from '../json.ts';
import type { Changes } from '../patches/patch.ts';
import type { DispatchRecord, WorkModule } from '../team/work-module.ts';

/** A work module is created or changed; `patch` holds the changed fields. Only in old journals: replaced by `state.patch`. */
export interface ModuleUpdate {
  readonly type: 'module.update';
  readonly moduleId: string;
  readonly patch: Partial<WorkModule>;
}
/** A dispatch is recorded or changes. */
export interface DispatchUpdate {
  readonly type: 'dispatch.update';
  readonly dispatchId: string;
  readonly patch: Partial<DispatchRecord>;
}
/**
 * Flags, values and deliverables of an agent change, or shared values and work modules of its team. The event holds the change,
 * not the reason for it; applying `inverse` in order restores the state before.
 */
export interface StatePatch extends Changes {
  readonly type: 'state.patch';
  /** The agent that owns the flags, values and deliverables in the paths; absent when a person changed the team's state. */
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
  /** The observer or tool that made the change, or `person`. */
  readonly by?: string;
  /** The untrusted tool that returned these values: they hold untrusted text. */
  readonly taint?: readonly string[];
}
/** A value in an agent's or the team's state changes. Only in old journals: replaced by `state.patch`. */
export interface StateChange {
  readonly type: 'state.update';
  readonly scope: 'agent' | 'team';
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  readonly path: string;
  readonly value?: JsonValue;
  /** The observer or tool that made the change. */
  readonly by?: string;
}
