import { CadreError } from '../../core/error.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import type { Run } from '../../engine/run.ts';
import { terminalBy } from '../access/local-by.ts';
import { readVerdict } from '../terminal/read-verdict.ts';

/** Error codes of verdicts that cannot be used; the request is still pending, or over. */
const unusable: ReadonlySet<string> = new Set([
  'OPTION_INVALID',
  'PENDING_UNKNOWN',
  'APPROVAL_CHANGED',
  'TOOL_ARGUMENTS_INVALID',
  'TOOL_DENIED',
  'TOOL_MISSING',
]);

/** Passes a typed line to the run as the verdict on a request; returns a message when the line cannot be used. */
export async function giveVerdict(run: Run, request: PendingRequest, line: string): Promise<string | undefined> {
  const verdict = readVerdict(request, line);
  const by = terminalBy();
  try {
    switch (verdict.kind) {
      case 'approve':
        await run.approve(request.id, {
          ...(verdict.args === undefined ? {} : { args: verdict.args }),
          ...(verdict.always === undefined ? {} : { always: verdict.always }),
          ...(request.fingerprint === undefined ? {} : { fingerprint: request.fingerprint }),
          ...by,
        });
        return undefined;
      case 'reject':
        await run.reject(request.id, { ...(verdict.message === undefined ? {} : { message: verdict.message }), ...by });
        return undefined;
      case 'answer':
        await run.answer(request.id, verdict.value, by);
        return undefined;
      case 'unclear':
        return verdict.hint;
    }
  } catch (error) {
    // A late verdict is no reason to leave the run.
    if (error instanceof CadreError && unusable.has(error.code)) return error.message;
    throw error;
  }
}
