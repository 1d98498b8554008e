import type { DecidedAction } from '../../core/events/turn-parts.ts';
import type { DeciderAction, ObserverAction } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { CallState, TurnState } from '../../core/state/turn-state.ts';
import type { GateRecord, RuleRecord, ObserverRecord } from '../../core/state/turn.ts';
import type { ProfileFacts } from './profile-facts.ts';

/** An observer's result in a turn, with its declaration. */
export interface ObserverResultView extends ObserverRecord {
  readonly condition?: string;
  readonly action?: ObserverAction['type'];
  readonly declaredAt?: SourceRef;
}

/** A flow decider rule's result, with its declaration. */
export interface RuleView extends RuleRecord {
  readonly condition?: string;
  readonly action?: DeciderAction['type'];
  readonly declaredAt?: SourceRef;
}

/** A gate's judgement of a call, with its declaration; the gate `needs_approval` is the tool's own. */
export interface GateView extends GateRecord {
  readonly condition?: string;
  readonly declaredAt?: SourceRef;
}

/** What came of a gate that is about a call's tool. */
export type GateResult = 'matched' | 'not_matched' | 'failed' | 'not_asked';

/** A flow decider rule that was not evaluated: an earlier one matched, or the turn was decided without rules. */
export type UnaskedRule = Pick<RuleView, 'id' | 'condition' | 'action' | 'declaredAt'>;

/** Decision of a turn: the rules tried, in order, the profile's other rules, and the action; undefined while undecided. */
export interface DecisionView {
  readonly rules: readonly RuleView[];
  /** Empty while undecided, and when the profile is unknown. */
  readonly notAsked: readonly UnaskedRule[];
  readonly action: DecidedAction | undefined;
}

/** Returns the observers of a turn: those before the model call, then those after it. */
export function turnObservers(turn: TurnState, profile: ProfileFacts | undefined): readonly ObserverResultView[] {
  return [...turn.start.observers, ...(turn.decide?.observers ?? [])].map((record) => {
    const list = record.phase === 'pre' ? profile?.preTurnObservers : profile?.postTurnObservers;
    const declared = list?.find((observer) => observer.id === record.id);
    if (declared === undefined) return record;
    return { ...record, ...conditionOf(declared), action: declared.action.type, declaredAt: declared.source };
  });
}

/** Returns the rule trace of a turn. */
export function turnDecision(turn: TurnState, profile: ProfileFacts | undefined): DecisionView {
  const rules = (turn.decide?.rules ?? []).map((record): RuleView => {
    const declared = profile?.flowDecider.find((rule) => rule.id === record.id);
    if (declared === undefined) return record;
    return { ...record, ...conditionOf(declared), action: declared.action.type, declaredAt: declared.source };
  });
  return { rules, notAsked: turn.decide === undefined ? [] : notAsked(rules, profile), action: turn.decide?.action };
}

/** Returns the gates that judged a call, in order. */
export function callGates({ gates }: CallState, profile: ProfileFacts | undefined): readonly GateView[] {
  return (gates ?? []).map((record) => {
    const declared = profile?.toolGates.find((gate) => gate.id === record.id);
    return declared === undefined ? record : { ...record, ...conditionOf(declared), declaredAt: declared.source };
  });
}

/** Returns what came of a gate. */
export function gateResult({ matched, error, skipped }: GateRecord): GateResult {
  if (skipped === true) return 'not_asked';
  if (error !== undefined) return 'failed';
  return matched ? 'matched' : 'not_matched';
}

/** Returns the gate that decided a call: the one that matched or failed; undefined when none did. */
export function decidingGate<Gate extends GateRecord>(gates: readonly Gate[]): Gate | undefined {
  return gates.find(({ matched, error }) => matched || error !== undefined);
}

function notAsked(rules: readonly RuleRecord[], profile: ProfileFacts | undefined): readonly UnaskedRule[] {
  const asked = new Set(rules.map(({ id }) => id));
  return (profile?.flowDecider ?? [])
    .filter(({ id }) => !asked.has(id))
    .map((declared) => ({
      id: declared.id,
      ...conditionOf(declared),
      action: declared.action.type,
      declaredAt: declared.source,
    }));
}

function conditionOf(declared: { readonly condition?: { readonly source: string } }): { readonly condition?: string } {
  return declared.condition === undefined ? {} : { condition: declared.condition.source };
}
