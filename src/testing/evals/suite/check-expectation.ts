import type { RunExpectations } from '../../cases/test-case.ts';
import { ofTurn, runHint } from '../../cases/check-case.ts';

type Tell = (at: readonly string[], message: string, hint?: string) => void;

/** Reports expectations that no check of a finished run can make: those of a single turn, and gates, which the journal does not record by call. */
export function checkExpectation(expect: RunExpectations, tell: Tell): void {
  if (Object.keys(expect).length === 0) tell([], 'the check expects nothing', 'a check that cannot fail shows nothing');
  for (const key of ofTurn)
    if (key in expect) tell([key], `\`expect.${key}\` is about one turn, and a check is about the whole run`, runHint(key));
  for (const [index, { gate }] of (expect.calls ?? []).entries())
    if (gate !== undefined)
      tell(['calls', String(index), 'gate'], '`gate` is for cadre test', 'look at the status of the call instead');
}
