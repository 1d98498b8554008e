import type { TurnContext } from '../core/turn-context.ts';
import type { Scope } from '../core/expression/expression.ts';
import { toStatePatch } from '../core/patches/change-state.ts';
import { patchedState } from '../core/patches/state-patch.ts';
import { noteStateTaint } from '../core/patches/state-taint.ts';
import { StateEdit, updateState } from '../core/patches/update-state.ts';
import type { CompiledObserver } from '../core/profile/profile.ts';
import { untrustedSources } from '../core/prompt/prompt-sources.ts';
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
  const later = stateAfter(tx.run, agent, edit);
  const groups: Group[] = [];
  for (const { value, ...update } of updates) {
    const from = edit.patches.length;
    const seen = from === 0 ? { run: tx.run, agent } : later;
    const reads = stateReads(env, seen);
    updateState(edit, { ...update, value: value?.build(value.constant ? {} : scopeOf(env, seen), reads.quote) });
    const taint = reads.labels();
    noteStateTaint(later.run, later.agent, { patches: edit.patches.slice(from), taint });
    addTo(groups, { from, to: edit.patches.length, taint });
  }
  const isKnown = untrustedSources(agent.history.sources).length === 0;
  const { length } = edit.patches;
  for (const { from, to, taint } of groups) {
    const changes = { patches: edit.patches.slice(from, to), inverse: edit.inverse.slice(length - to, length - from) };
    const place = { agentId: agent.meta.agentId, turnId: agent.turn.currentId, by };
    const event = toStatePatch(changes, isKnown && taint.length === 0 ? place : { ...place, taint });
    if (event !== undefined) tx.emit(event);
  }
}

function addTo(groups: Group[], next: Group): void {
  const last = groups.at(-1);
  if (last !== undefined && last.taint.join('\n') === next.taint.join('\n')) last.to = next.to;
  else groups.push(next);
}

function scopeOf(env: TurnViewEnv, { run, agent }: Later): Scope {
  return agentScope(env, run, agent);
}

interface Later {
  readonly run: RunContext;
  readonly agent: SubContext;
}

/** The state as it will be once the changes so far are committed. */
function stateAfter(run: RunContext, agent: SubContext, edit: StateEdit): Later {
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
  return { run: Object.create(run, { team: { value: team } }) as RunContext, agent: laterAgent as SubContext };
}
