import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { readAskingId } from '../../core/state/asking.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import type { Input } from '../run/input.ts';
import { type ByOption, readBy } from './read-by.ts';
import { checkAnswer, type PendingRequest, pendingOf } from '../../core/state/pending.ts';

/** Options for approving a call. */
export interface ApproveOptions extends ByOption {
  /** Arguments to run it with: checked against the tool's schema and the gates that deny. The model learns of the change. */
  readonly args?: JsonObject;
  /** Allow every call of this tool that the same gate asks about, until the run ends. */
  readonly always?: boolean;
  /**
   * Fingerprint of the request as the person saw it. The id names it already; with another one the verdict is refused with
   * APPROVAL_CHANGED, and the call still waits. For one call at a time.
   */
  readonly fingerprint?: string;
}

/** Options for rejecting a call. */
export interface RejectOptions extends ByOption {
  /** Why; the model reads it. */
  readonly message?: string;
}

type Answer = Extract<Input, { kind: 'answer' }>;

/** Returns the inputs that approve calls. Fails, deciding nothing, when one of them does not wait for approval. */
export function approvals(
  run: RunContext,
  ids: string | readonly string[],
  { args, always, fingerprint, by }: ApproveOptions,
): readonly Answer[] {
  const requests = waitingFor(run, ids, 'approval');
  const edited = args === undefined ? undefined : toWire(args);
  if (edited !== undefined && !isJsonObject(edited))
    throw new CadreError('OPTION_INVALID', 'approve: args must be an object: all arguments the call is to run with');
  if (edited !== undefined && requests.length > 1)
    throw new CadreError(
      'OPTION_INVALID',
      'approve: args belong to one call; approve the calls one by one to change what they run with',
    );
  if (fingerprint !== undefined && requests.length > 1)
    throw new CadreError('OPTION_INVALID', 'approve: fingerprint belongs to one call; approve the calls one by one');
  return requests.map((request) => ({
    kind: 'answer',
    asking: request.id,
    verdict: 'approved',
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(edited === undefined ? {} : { args: edited }),
    ...(always === true ? { always } : {}),
    ...readBy({ by }),
  }));
}

/** Returns the inputs that reject calls. */
export function rejections(run: RunContext, ids: string | readonly string[], { message, by }: RejectOptions): readonly Answer[] {
  const said = message === undefined ? {} : { message };
  return waitingFor(run, ids, 'approval').map(({ id }) => ({
    kind: 'answer',
    asking: id,
    verdict: 'rejected',
    ...said,
    ...readBy({ by }),
  }));
}

/** Returns the input that answers a question. */
export function answerTo(run: RunContext, id: string, value: JsonValue, by: ByOption = {}): Answer {
  const [request] = waitingFor(run, id, 'question');
  const answer = toWire(value);
  if (request !== undefined) checkAnswer(request, answer);
  return { kind: 'answer', asking: id, verdict: 'answered', value: answer, ...readBy(by) };
}

function waitingFor(run: RunContext, ids: string | readonly string[], kind: PendingRequest['kind']): readonly PendingRequest[] {
  const pending = pendingOf(run);
  const wanted = [...new Set(typeof ids === 'string' ? [ids] : ids)];
  return wanted.map((id) => {
    const request = pending.find((candidate) => candidate.id === id);
    if (request?.kind === kind) return request;
    throw notWaiting(run, pending, id, kind);
  });
}

function notWaiting(run: RunContext, pending: readonly PendingRequest[], id: string, kind: PendingRequest['kind']): CadreError {
  const { runId } = run.meta;
  const waiting = pending.map((candidate) => `${candidate.id} (${candidate.kind})`).join(', ') || 'nothing';
  return new CadreError('PENDING_UNKNOWN', `${whyNot(run, pending, id, kind)} in run ${runId}; waiting: ${waiting}`, {
    details: { id },
  });
}

/** Explains why an id names no request of this kind that waits. */
function whyNot(run: RunContext, pending: readonly PendingRequest[], id: string, kind: PendingRequest['kind']): string {
  const other = pending.find((candidate) => candidate.id === id);
  if (other !== undefined)
    return `${id} is ${other.kind === 'approval' ? 'a request for approval' : 'a question'}, and no ${kind} waits under this id`;
  const ofCall = pending.find((candidate) => candidate.callId === id);
  if (ofCall !== undefined) return `${id} is a call; its present request is ${ofCall.id}. No ${kind} '${id}' waits`;
  const read = readAskingId(run.meta, id);
  const from = run.meta.parentRun === undefined ? '' : ` (such as ${run.meta.parentRun.runId}, from which this one was forked)`;
  if (read?.isOfRun === false) return `${id} is a request of another run${from}. No such ${kind} waits`;
  return `no ${kind} '${id}' is waiting`;
}
