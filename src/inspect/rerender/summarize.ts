import type { RerenderedPlace, RerenderedRun, Rerendering, TurnDifference } from './rerendered-turn.ts';

/** Adds up what differs, and where. */
export function summarize(runs: readonly RerenderedRun[], differences: readonly TurnDifference[]): Rerendering {
  const sum = (key: 'turns' | 'same' | 'differ'): number => runs.reduce((total, run) => total + run[key], 0);
  return { turns: sum('turns'), same: sum('same'), differ: sum('differ'), where: placesOf(differences), runs, differences };
}

function placesOf(differences: readonly TurnDifference[]): readonly RerenderedPlace[] {
  const places = new Map<string, RerenderedPlace>();
  for (const difference of differences) {
    for (const what of new Set(partsIn(difference))) {
      const key = JSON.stringify([difference.profile, what]);
      places.set(key, { profile: difference.profile, what, turns: (places.get(key)?.turns ?? 0) + 1 });
    }
  }
  return [...places.values()].toSorted((a, b) => b.turns - a.turns);
}

/** What differs in a turn, with the names of its pieces. */
function partsIn({ parts, systemPrompt = [], messages = [], start, decision }: TurnDifference): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    switch (part) {
      case 'start':
        return [start ?? 'does not begin'];
      case 'system prompt':
        return systemPrompt.map(({ name }) => `segment ${name}`);
      case 'messages':
        return messages.map(({ name, kind }) => `message ${name} (${kind})`);
      case 'decision':
        return [`decision ${decisionName(decision?.before)} → ${decisionName(decision?.after)}`];
      default:
        return [part];
    }
  });
}

function decisionName(view: NonNullable<TurnDifference['decision']>['before']): string {
  if (view === undefined) return 'none';
  return view.ruleId ?? view.action;
}
