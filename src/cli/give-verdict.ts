import { CadreError } from '../core/error.ts';
import type { PendingRequest } from '../engine/pending.ts';
import type { Run } from '../engine/run.ts';
import { readVerdict } from './read-verdict.ts';

/** Hands a typed line to the run as the verdict over a request; answers with what to say when the line cannot be used. */
export async function giveVerdict(run: Run, request: PendingRequest, line: string): Promise<string | undefined> {
  const verdict = readVerdict(request, line);
  try {
    switch (verdict.kind) {
      case 'approve':
        await run.approve(request.id);
        return undefined;
      case 'reject':
        await run.reject(request.id, verdict.message === undefined ? {} : { message: verdict.message });
        return undefined;
      case 'answer':
        await run.answer(request.id, verdict.value);
        return undefined;
      case 'unclear':
        return verdict.hint;
    }
  } catch (error) {
    // A verdict that comes too late is no reason to leave the run.
    if (error instanceof CadreError && (error.code === 'OPTION_INVALID' || error.code === 'PENDING_UNKNOWN')) return error.message;
    throw error;
  }
}
