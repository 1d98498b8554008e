import type { AgentId, CallId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Status of a work module. */
export type ModuleStatus = 'pending' | 'ongoing' | 'pending_review' | 'completed' | 'deprecated';

/** Actor that moves a module: the planner by tool, or dispatch itself. */
export type ModuleActor = 'planner' | 'dispatch';

/** The transition table: from → to → allowed actors. */
export const moduleTransitions: Readonly<Record<ModuleStatus, Readonly<Partial<Record<ModuleStatus, readonly ModuleActor[]>>>>> = {
  pending: { ongoing: ['dispatch'], completed: ['planner'], deprecated: ['planner'] },
  ongoing: { pending_review: ['dispatch'] },
  pending_review: { ongoing: ['dispatch'], pending: ['planner'], completed: ['planner'], deprecated: ['planner'] },
  completed: { pending: ['planner'], deprecated: ['planner'] },
  deprecated: { pending: ['planner'] },
};

/** True when an actor may move a module from one status to another. */
export function canMove(from: ModuleStatus, to: ModuleStatus, actor: ModuleActor): boolean {
  return moduleTransitions[from][to]?.includes(actor) ?? false;
}

/** Returns the statuses to which an actor may move a module. */
export function allowedMoves(from: ModuleStatus, actor: ModuleActor): readonly ModuleStatus[] {
  return (Object.keys(moduleTransitions[from]) as ModuleStatus[]).filter((to) => canMove(from, to, actor));
}

/** Returns the statuses that an actor can reach in any number of moves, including the current one. */
export function reachableStatuses(from: ModuleStatus, actor: ModuleActor): readonly ModuleStatus[] {
  return reachable[actor][from];
}

const statuses = Object.keys(moduleTransitions) as readonly ModuleStatus[];
const reachable = { planner: reachableBy('planner'), dispatch: reachableBy('dispatch') };

function reachableBy(actor: ModuleActor): Readonly<Record<ModuleStatus, readonly ModuleStatus[]>> {
  const entries = statuses.map((from) => {
    const reached = new Set([from]);
    for (const status of reached) for (const next of allowedMoves(status, actor)) reached.add(next);
    return [from, [...reached]] as const;
  });
  return Object.fromEntries(entries) as Record<ModuleStatus, readonly ModuleStatus[]>;
}

/** One attempt at a module, kept after it ended. */
export interface ModuleArchive {
  readonly dispatch_id: string;
  readonly archived_at: number;
  readonly agent_id: string;
  /** Number of messages in the history of the attempt's agent, where they can be read. */
  readonly message_count: number;
  readonly deliverables: JsonObject;
}

/** One agent's work on a module, and its result. */
export interface Assignment {
  readonly dispatch_id: string;
  readonly agent_id: AgentId;
  readonly started_at: number;
  readonly ended_at?: number;
  readonly outcome: 'running' | 'completed_success' | 'completed_error' | 'cancelled';
}

/** A unit of work of the team. Keys are those of the record that conditions and models see. */
export interface WorkModule {
  readonly module_id: string;
  readonly name: string;
  readonly description: string;
  readonly status: ModuleStatus;
  readonly notes_from_principal: string;
  readonly depends_on: readonly string[];
  /** Profile designated to carry it out, if any. */
  readonly executor?: string;
  readonly deliverables: JsonObject;
  readonly context_archive: readonly ModuleArchive[];
  readonly assignee_history: readonly Assignment[];
  readonly review_info: JsonObject | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Creates a work module with empty fields. */
export function emptyModule(id: string, at: number): WorkModule {
  return {
    module_id: id,
    name: '',
    description: '',
    status: 'pending',
    notes_from_principal: '',
    depends_on: [],
    deliverables: {},
    context_archive: [],
    assignee_history: [],
    review_info: null,
    created_at: at,
    updated_at: at,
  };
}

/** One dispatch of a module to an agent, as the team's history keeps it. */
export interface DispatchRecord {
  readonly dispatch_id: string;
  readonly call_id: CallId;
  readonly module_id: string;
  readonly agent_id: AgentId;
  readonly profile: string;
  readonly role_name: string;
  readonly status: 'QUEUED' | 'RUNNING' | 'COMPLETED_SUCCESS' | 'COMPLETED_ERROR' | 'CANCELLED';
  readonly started_at: number;
  readonly ended_at?: number;
  readonly final_summary?: string;
  readonly error_details?: JsonValue;
}
