import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Run } from '../../engine/run.ts';

/** A person's decision on a pending request of a run, by its id. */
export type GivenVerdict =
  | { readonly kind: 'approve'; readonly id: string; readonly args?: JsonObject }
  | { readonly kind: 'reject'; readonly id: string; readonly message?: string }
  | { readonly kind: 'answer'; readonly id: string; readonly value: JsonValue };

/** Applies the verdicts that the run waits for and returns their number. Ignores those on requests already decided. */
export async function giveVerdicts(run: Run, verdicts: readonly GivenVerdict[]): Promise<number> {
  let given = 0;
  for (const verdict of verdicts) {
    const request = run.pending.find(({ id }) => id === verdict.id);
    if (request === undefined || (request.kind === 'question') !== (verdict.kind === 'answer')) continue;
    await give(run, verdict);
    given += 1;
  }
  return given;
}

async function give(run: Run, verdict: GivenVerdict): Promise<void> {
  const { id } = verdict;
  switch (verdict.kind) {
    case 'approve':
      return await run.approve(id, verdict.args === undefined ? {} : { args: verdict.args });
    case 'reject':
      return await run.reject(id, verdict.message === undefined ? {} : { message: verdict.message });
    case 'answer':
      return await run.answer(id, verdict.value);
  }
}
