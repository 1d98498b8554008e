import type { AgentId, TurnId } from './ids.ts';
import type { JsonValue } from './json.ts';
import type { DispatchRecord, WorkModule } from './work-module.ts';

/** A work module is created or changed; `patch` holds the changed fields. */
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
/** A value in an agent's or the team's state changes. */
export interface StateChange {
  readonly type: 'state.update';
  readonly scope: 'agent' | 'team';
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  readonly path: string;
  readonly value?: JsonValue;
  /** The observer or tool that did it. */
  readonly by?: string;
}
