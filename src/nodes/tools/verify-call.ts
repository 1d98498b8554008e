import type { TurnContext } from '../../core/turn-context.ts';
import { type ErrorRecord, toErrorRecord } from '../../core/error.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import { checkCallStart, startCall } from './check-call-start.ts';
import type { ToolOutcome } from './tool-node.ts';
import { settleUnknown } from './unknown-outcome.ts';

/** Usable part of a verifying tool's answer. */
type Verdict =
  | { readonly answer: 'happened'; readonly result: unknown }
  | { readonly answer: 'not_happened' }
  | { readonly answer: 'unknown'; readonly error?: ErrorRecord };

/**
 * Makes the tool due that finds out whether a `verifiable` call happened. The call counts as running meanwhile; a crash in
 * the middle asks again, since the asking is pure.
 */
export function verifyCall(context: TurnContext, call: CallState, by: string): void {
  const { tx, env, agent } = context;
  const cause = call.startSeq ?? call.request.seq;
  const { agentId } = agent.meta;
  const { turnId } = call.request;
  if (env.catalog.get(by)?.kind === 'effect') {
    tx.effects.push({ kind: 'verify', agentId, turnId, callId: call.callId, by, cause });
    return;
  }
  const error: ErrorRecord = { code: 'TOOL_MISSING', message: `the tool '${by}', which finds out, does not exist any more` };
  const asked = tx.emit({ type: 'tool.verify', agentId, turnId, callId: call.callId, by, answer: 'unknown', error }, cause);
  settleUnknown(context, call, { cause: asked.seq });
}

/**
 * Applies a verifying tool's answer: the call ends with the result it found, runs (again), or stays unknown. Returns the
 * outcome of the call, if it happened.
 */
export function applyVerdict(
  context: TurnContext,
  call: CallState,
  said: { readonly by: string; readonly outcome: ToolOutcome },
): ToolOutcome | undefined {
  const { tx, env, agent } = context;
  const verdict = readVerdict(said.outcome);
  const { agentId } = agent.meta;
  const { turnId, name } = call.request;
  const asked = tx.emit(
    {
      type: 'tool.verify',
      agentId,
      turnId,
      callId: call.callId,
      by: said.by,
      answer: verdict.answer,
      ...(verdict.answer === 'unknown' && verdict.error !== undefined ? { error: verdict.error } : {}),
    },
    call.startSeq,
  );
  switch (verdict.answer) {
    case 'happened':
      return { status: 'ok', returned: verdict.result, progress: [] };
    case 'not_happened': {
      const tool = env.catalog.get(name);
      const start = tool?.kind === 'effect' ? checkCallStart(context, call) : undefined;
      if (tool?.kind === 'effect' && start !== undefined) startCall(context, call, { tool, cause: asked.seq, ...start });
      return undefined;
    }
    case 'unknown':
      settleUnknown(context, call, { cause: asked.seq });
      return undefined;
  }
}

/** `{ happened: true, result }`, `{ happened: false }`; everything else, an error too, means that it could not find out. */
function readVerdict({ status, returned, error }: ToolOutcome): Verdict {
  if (status !== 'ok') return { answer: 'unknown', error: toErrorRecord(error, 'TOOL_FAILED') };
  try {
    const said = returned as { readonly happened?: unknown; readonly result?: unknown } | null | undefined;
    if (said?.happened === true) return { answer: 'happened', result: said.result ?? 'It happened.' };
    if (said?.happened === false) return { answer: 'not_happened' };
    return { answer: 'unknown' };
  } catch (thrown) {
    // What it returned has getters that throw.
    return { answer: 'unknown', error: toErrorRecord(thrown, 'TOOL_FAILED') };
  }
}
