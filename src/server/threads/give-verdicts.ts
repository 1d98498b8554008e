import { isDeepStrictEqual } from 'node:util';
import { CadreError } from '../../core/error.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { AskingFate } from '../../engine/input/asking-fate.ts';
import type { ByOption } from '../../engine/input/read-by.ts';
import type { Run } from '../../engine/run.ts';

/** A person's decision on a pending request of a run, by the id of its asking. */
export type GivenVerdict =
  | { readonly kind: 'approve'; readonly id: string; readonly args?: JsonObject }
  | { readonly kind: 'reject'; readonly id: string; readonly message?: string }
  | { readonly kind: 'answer'; readonly id: string; readonly value: JsonValue };

/** Effect of a client's verdicts. */
export interface Given {
  /** Number of verdicts that decided a request. */
  readonly decided: number;
  /** Sequence number of the first event that decided one of them before, in the same way: the request was sent again. */
  readonly repeats: number | undefined;
  /** Refusals (PENDING_UNKNOWN) of verdicts on requests that do not wait, and were not decided in this way. */
  readonly refused: readonly CadreError[];
}

/** Applies the verdicts of one message. A verdict on anything but a request that waits decides nothing. */
export async function giveVerdicts(run: Run, verdicts: readonly GivenVerdict[], by: ByOption): Promise<Given> {
  let decided = 0;
  let repeats: number | undefined;
  const refused: CadreError[] = [];
  for (const verdict of verdicts) {
    try {
      await give(run, verdict, by);
      decided += 1;
    } catch (thrown) {
      if (!(thrown instanceof CadreError) || thrown.code !== 'PENDING_UNKNOWN') throw thrown;
      const fate = fateIn(thrown);
      if (fate === undefined || !isSame(verdict, fate)) refused.push(thrown);
      else repeats = Math.min(repeats ?? fate.seq, fate.seq);
    }
  }
  return { decided, repeats, refused };
}

/** Returns what happened to the request of a refused verdict; undefined when it is unknown to the run. */
export function fateIn({ details }: CadreError): AskingFate | undefined {
  // Set by `withFate` alone.
  return details['fate'] as AskingFate | undefined;
}

/** True when a request ended as a verdict asks for: nothing is left to decide, or to say. */
function isSame(verdict: GivenVerdict, { end, verdict: before, value, args }: AskingFate): boolean {
  switch (verdict.kind) {
    case 'approve':
      return end === 'approved' && (verdict.args === undefined || isDeepStrictEqual(verdict.args, args));
    case 'reject':
      // Whatever else ended it, the call did not run on it.
      return before !== 'approved' && before !== 'answered';
    case 'answer':
      return end === 'answered' && isDeepStrictEqual(verdict.value, value);
  }
}

async function give(run: Run, verdict: GivenVerdict, by: ByOption): Promise<void> {
  const { id } = verdict;
  switch (verdict.kind) {
    case 'approve':
      return await run.approve(id, { ...(verdict.args === undefined ? {} : { args: verdict.args }), ...by });
    case 'reject':
      return await run.reject(id, { ...(verdict.message === undefined ? {} : { message: verdict.message }), ...by });
    case 'answer':
      return await run.answer(id, verdict.value, by);
  }
}
