import type { AgentId } from '../core/ids.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { Assignment, DispatchRecord, ModuleStatus, WorkModule } from '../core/team/work-module.ts';

/** One attempt at a module. */
export interface BoardAttempt {
  readonly dispatchId: string;
  readonly agentId: AgentId;
  readonly profile: string;
  readonly roleName: string;
  readonly outcome: Assignment['outcome'];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly summary: string | undefined;
  readonly error: JsonValue | undefined;
}

/** A work module on the board. */
export interface BoardCard {
  readonly moduleId: string;
  readonly name: string;
  readonly description: string;
  readonly status: ModuleStatus;
  readonly notes: string;
  readonly dependsOn: readonly string[];
  /** Modules it depends on that are not completed. */
  readonly blockedBy: readonly string[];
  /** Modules that depend on it. */
  readonly neededBy: readonly string[];
  /** True when work on the module is to begin, or has begun, again after an earlier attempt. */
  readonly isRework: boolean;
  readonly attempts: readonly BoardAttempt[];
  /** The agent that works on it now, with its status. */
  readonly assignee:
    | { readonly agentId: AgentId; readonly status: string; readonly turns: number; readonly doing: readonly string[] }
    | undefined;
  readonly reviewInfo: JsonObject | null;
  readonly deliverables: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The modules of one status. */
export interface BoardColumn {
  readonly status: ModuleStatus;
  readonly cards: readonly BoardCard[];
}

/** All work modules of a run, by status. */
export interface Board {
  readonly total: number;
  readonly columns: readonly BoardColumn[];
}

/** The columns of the board, in the order work moves through them. */
export const boardOrder: readonly ModuleStatus[] = ['pending', 'ongoing', 'pending_review', 'completed', 'deprecated'];

/** Builds the board of a run's work modules. */
export function board(run: RunContext): Board {
  const dispatches = new Map(run.team.dispatchHistory.map((record) => [`${record.dispatch_id} ${record.module_id}`, record]));
  const modules = Object.values(run.team.workModules);
  const neededBy = dependants(modules);
  const cards = modules.map((module) => toCard(run, module, { dispatches, neededBy: neededBy.get(module.module_id) ?? [] }));
  return {
    total: cards.length,
    columns: boardOrder.map((status) => ({ status, cards: cards.filter((card) => card.status === status) })),
  };
}

function dependants(modules: readonly WorkModule[]): ReadonlyMap<string, readonly string[]> {
  const byModule = new Map<string, string[]>();
  for (const module of modules) {
    for (const id of module.depends_on) {
      const known = byModule.get(id);
      if (known === undefined) byModule.set(id, [module.module_id]);
      else known.push(module.module_id);
    }
  }
  return byModule;
}

function toCard(
  run: RunContext,
  module: WorkModule,
  { dispatches, neededBy }: { readonly dispatches: ReadonlyMap<string, DispatchRecord>; readonly neededBy: readonly string[] },
): BoardCard {
  const current = module.assignee_history.findLast((assignment) => assignment.outcome === 'running');
  return {
    moduleId: module.module_id,
    name: module.name,
    description: module.description,
    status: module.status,
    notes: module.notes_from_principal,
    dependsOn: module.depends_on,
    blockedBy: module.depends_on.filter((id) => run.team.workModules[id]?.status !== 'completed'),
    neededBy,
    isRework: isRework(module),
    attempts: module.assignee_history.map((assignment) =>
      toAttempt(assignment, dispatches.get(`${assignment.dispatch_id} ${module.module_id}`)),
    ),
    assignee: current === undefined ? undefined : toAssignee(run, current.agent_id),
    reviewInfo: module.review_info,
    deliverables: module.deliverables,
    createdAt: module.created_at,
    updatedAt: module.updated_at,
  };
}

function isRework(module: WorkModule): boolean {
  const worked = module.assignee_history.filter((assignment) => assignment.outcome !== 'running').length;
  return worked > 0 && (module.status === 'pending' || module.status === 'ongoing');
}

function toAttempt(assignment: Assignment, record: DispatchRecord | undefined): BoardAttempt {
  return {
    dispatchId: assignment.dispatch_id,
    agentId: assignment.agent_id,
    profile: record?.profile ?? '',
    roleName: record?.role_name ?? '',
    outcome: assignment.outcome,
    startedAt: assignment.started_at,
    endedAt: assignment.ended_at,
    summary: record?.final_summary,
    error: record?.error_details,
  };
}

function toAssignee(run: RunContext, agentId: AgentId): BoardCard['assignee'] {
  const agent = run.agents.get(agentId);
  if (agent === undefined) return undefined;
  return {
    agentId,
    status: agent.status,
    turns: agent.turn.count,
    doing: [...agent.calls.open.values()].map((call) => call.request.name),
  };
}
