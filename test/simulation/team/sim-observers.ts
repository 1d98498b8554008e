import { defineObserver, type CodedObserver } from '../../../src/index.ts';

/** The observers in code of the simulated team: one that counts turns, in the agent and in the team. */
export function simObservers(): readonly CodedObserver[] {
  return [
    defineObserver({
      name: 'tally',
      observe: () => [
        { type: 'update_state', operation: 'increment', path: 'flags.tally' },
        { type: 'update_state', operation: 'increment', path: 'team.shared.tally' },
      ],
    }),
  ];
}
