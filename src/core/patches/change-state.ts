import type { AgentId, TurnId } from '../ids.ts';
import type { JsonValue } from '../json.ts';
import { StateDiff } from './diff-state.ts';
import { ownValue, StateEdit } from './update-state.ts';
import type { Changes } from './patch.ts';
import { untrustedSources } from '../prompt/prompt-sources.ts';
import type { Labels } from '../untrusted/taint.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { StatePatch } from '../events/team-events.ts';
import type { Transaction } from '../events/transaction.ts';
import { patchedState, type PatchedState } from './state-patch.ts';

/** Author and target of a change of state: the agent, its turn, and the observer, tool or person. */
export interface ChangePlace {
  readonly agentId?: AgentId | undefined;
  readonly turnId?: TurnId | undefined;
  readonly by: string;
  /** Name of the person who made it, if it is known. */
  readonly person?: string | undefined;
  /** Untrusted sources of the values; everything that the agent has read when undefined. */
  readonly taint?: Labels | undefined;
}

/** Returns the untrusted sources that the event of a change must name; undefined when there are none, and its agent has read none that would count instead. */
export function sourcesToName(agent: SubContext | undefined, taint: Labels): Labels | undefined {
  const hasRead = agent !== undefined && untrustedSources(agent.history.sources).length > 0;
  return hasRead || taint.length > 0 ? taint : undefined;
}

/** Returns the event of a change; undefined when nothing changed. */
export function toStatePatch(
  { patches, inverse }: Changes,
  { agentId, turnId, by, person, taint }: ChangePlace,
): StatePatch | undefined {
  if (patches.length === 0) return undefined;
  return {
    type: 'state.patch',
    ...(agentId === undefined ? {} : { agentId }),
    ...(turnId === undefined ? {} : { turnId }),
    patches,
    inverse,
    by,
    ...(person === undefined ? {} : { person }),
    ...(taint === undefined ? {} : { taint }),
  };
}

/** Changes the state of an agent, or without one the team's, as one event: all changes of `change`, or none when it throws. */
export function changeState(
  tx: Transaction,
  agent: SubContext | undefined,
  place: Omit<ChangePlace, 'agentId'>,
  change: (edit: StateEdit) => void,
): void {
  const edit = new StateEdit(patchedState(tx.run, agent));
  change(edit);
  const event = toStatePatch(edit, { ...place, agentId: agent?.meta.agentId });
  if (event !== undefined) tx.emit(event);
}

/**
 * Returns the changes from the current value directly in a slice (`['values', 'plans']`, `['team', 'shared', 'notes']`) to
 * another, part by part.
 */
export function changesTo(state: PatchedState, path: readonly string[], value: JsonValue): Changes {
  const before = path.reduce<unknown>((inner, key) => ownValue(inner, key), state) as JsonValue | undefined;
  const diff = new StateDiff();
  diff.compare(path, before, value);
  return { patches: diff.patches, inverse: diff.inverse };
}
