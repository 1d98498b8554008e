import type { TurnContext } from '../core/turn-context.ts';
import { sourcesToName, toStatePatch } from '../core/patches/change-state.ts';
import { patchedState } from '../core/patches/state-patch.ts';
import { noteStateTaint } from '../core/patches/state-taint.ts';
import { StateEdit, updateState } from '../core/patches/update-state.ts';
import type { CompiledObserver } from '../core/profile/profile.ts';
import { agentScope } from '../core/state/agent-scope.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { SubContext } from '../core/state/sub-context.ts';
import type { TurnViewEnv } from '../core/state/turn-view.ts';
import { stateReads } from '../core/untrusted/quote-state.ts';
import type { Labels } from '../core/untrusted/taint.ts';

/** Updates of state as a profile declares them. */
type Updates = Extract<CompiledObserver['action'], { type: 'update_state' }>['updates'];

/** Patches of neighbouring updates whose values come from the same untrusted sources. */
interface Group {
  readonly from: number;
  to: number;
  readonly taint: Labels;
}

/**
 * Carries out the updates of one action: all, or none when one fails. Later ones read what earlier ones wrote. What an expression made of
 * untrusted values is untrusted; what the profile itself says is not, whatever its agent has read.
 */
export function updateInTurn(context: TurnContext, by: string, updates: Updates, env: TurnViewEnv): void {
  const { tx, agent } = context;
  const edit = new StateEdit(patchedState(tx.run, agent));
  const now = { run: tx.run, agent };
  const later = updates.length > 1 ? stateAfter(now, edit) : now;
  const groups: Group[] = [];
  for (const { value, ...update } of updates) {
    const from = edit.patches.length;
    const seen = from === 0 ? now : later;
    const reads = stateReads(env, seen);
    const scope = value === undefined || value.constant ? {} : agentScope(env, seen.run, seen.agent);
    updateState(edit, { ...update, value: value?.build(scope, reads.quote) });
    const taint = reads.labels();
    if (later !== now) noteStateTaint(later.run, later.agent, { patches: edit.patches.slice(from), taint });
    addTo(groups, { from, to: edit.patches.length, taint });
  }
  const { length } = edit.patches;
  for (const { from, to, taint } of groups) {
    const changes = { patches: edit.patches.slice(from, to), inverse: edit.inverse.slice(length - to, length - from) };
    const place = { agentId: agent.meta.agentId, turnId: agent.turn.currentId, by };
    const event = toStatePatch(changes, { ...place, taint: sourcesToName(agent, taint) });
    if (event !== undefined) tx.emit(event);
  }
}

function addTo(groups: Group[], next: Group): void {
  const last = groups.at(-1);
  if (last !== undefined && last.taint.join('\n') === next.taint.join('\n')) last.to = next.to;
  else groups.push(next);
}

/** State that the values of an update are read from. */
interface Seen {
  readonly run: RunContext;
  readonly agent: SubContext;
}

/** The state as it will be once the changes so far are committed; what is noted of their sources stays in it. */
function stateAfter({ run, agent }: Seen, edit: StateEdit): Seen {
  const team: unknown = Object.create(run.team, {
    shared: { get: () => edit.state.team.shared },
    taint: { value: new Map(run.team.taint) },
  });
  const laterAgent: unknown = Object.create(agent, {
    flags: { get: () => edit.state.flags },
    values: { get: () => edit.state.values },
    deliverables: { get: () => edit.state.deliverables },
    stateTaint: { value: new Map(agent.stateTaint) },
  });
  const laterRun: unknown = Object.create(run, { team: { value: team }, outside: { value: new Set(run.outside) } });
  return { run: laterRun as RunContext, agent: laterAgent as SubContext };
}
