import { CadreError } from '../../core/error.ts';
import type { EventDraft, EventType } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { checkSpawns } from '../../core/state/spawn-limits.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionOutcome } from '../../core/tool/transition.ts';

/** Events that a transition tool may emit; only the engine emits the others. */
const allowed: ReadonlySet<EventType> = new Set<EventType>([
  'agent.start',
  'agent.release',
  'agent.restart',
  'agent.end',
  'inbox.add',
  'inbox.drop',
  'module.update',
  'dispatch.update',
  'state.update',
  'state.patch',
  'note.add',
]);

/**
 * Refuses an outcome that could not be committed as a whole, before anything of it is: a transition tool changes all it
 * says, or nothing (I7). Throws TOOL_INVALID, and LIMIT_REACHED when it would start more agents than are allowed.
 */
export function checkOutcome(
  run: RunContext,
  profiles: ReadonlyMap<string, CompiledProfile>,
  name: string,
  outcome: TransitionOutcome,
): void {
  // Tools are not all written in TypeScript.
  const given: { readonly kind?: unknown; readonly events?: unknown } | null | undefined = outcome;
  if (given?.kind !== 'result' && given?.kind !== 'suspend')
    throw invalid(name, `must return { kind: 'result', … } or { kind: 'suspend', … }`);
  if (given.events === undefined) return;
  if (!Array.isArray(given.events)) throw invalid(name, 'must return its events as a list');
  const started = new Set<string>();
  for (const draft of outcome.events ?? []) checkDraft(run, name, draft, started);
  checkSpawns(run, profiles, outcome.events ?? []);
}

function checkDraft(run: RunContext, name: string, draft: EventDraft, started: Set<string>): void {
  if (!allowed.has(draft.type))
    throw invalid(name, `must not draft an event of type ${draft.type}; allowed: ${[...allowed].join(', ')}`);
  if (draft.type === 'agent.start') {
    if (isKnown(run, draft.agentId, started)) throw invalid(name, `starts agent ${draft.agentId}, which exists already`);
    if (draft.parentAgentId === undefined || !isKnown(run, draft.parentAgentId, started))
      throw invalid(name, `starts agent ${draft.agentId} below ${draft.parentAgentId ?? 'no parent'}; its parent must exist`);
    started.add(draft.agentId);
  } else if ('agentId' in draft && draft.agentId !== undefined && !isKnown(run, draft.agentId, started)) {
    throw invalid(name, `drafts ${draft.type} for agent ${draft.agentId}, which does not exist`);
  }
}

function isKnown({ agents }: RunContext, agentId: AgentId, started: ReadonlySet<string>): boolean {
  return started.has(agentId) || agents.has(agentId);
}

function invalid(name: string, what: string): CadreError {
  return new CadreError('TOOL_INVALID', `transition tool '${name}' ${what}`);
}
