import { CadreError } from '../../core/error.ts';
import { findItem, itemConflict } from '../../core/inbox/find-item.ts';
import { checkNote, type PeopleNote } from '../../core/events/people-note.ts';
import { isAsking } from '../../core/state/is-asking.ts';
import { openAsking } from '../../core/state/open-askings.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import { moduleEdits, editProblem, goneProblem, problemsText } from './apply-edits.ts';
import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/** Kinds of inputs that can come too late. */
export const mayBeLate: ReadonlySet<Input['kind']> = new Set(['post', 'profiles', 'modules', 'keep_note', 'answer']);

/**
 * Returns why an input from outside comes too late, if it does: its run, agent or call has ended since it was handed in. Checked right
 * before it is applied, so that the sender learns of it and nothing is added to a finished run.
 */
export function rejectionOf(run: RunContext, decision: DecisionContext, input: Input): CadreError | undefined {
  if (input.kind === 'post') {
    if (input.isOnce === true && findItem(run, input.item.itemId ?? '') !== undefined) return repeatRefusal(run, input.item);
    if (run.outcome !== undefined)
      return new CadreError('RUN_ENDED', `run ${run.meta.runId} has ended (${run.status}); launch a new one, or fork it`);
    const agent = run.agents.get(input.to);
    if (agent === undefined) return new CadreError('AGENT_UNKNOWN', `run ${run.meta.runId} has no agent '${input.to}'`);
    if (agent.status === 'ended')
      return new CadreError(
        'AGENT_ENDED',
        `agent ${input.to} has ended (${agent.result.outcome ?? ''}) and reads nothing any more`,
      );
    if (input.mayAnswer === false && isAsking(agent))
      return new CadreError('REQUEST_REFUSED', `agent ${input.to} asks a person, and a message would let it go on`);
  }
  if (input.kind === 'profiles' || input.kind === 'modules') return editRefusal(run, decision, input);
  if (input.kind === 'keep_note') return noteRefusal(run, input.note);
  return input.kind === 'answer' ? answerRefusal(run, decision, input) : undefined;
}

/** Refuses a note when the run has ended, or other notes were written, since it was handed in. */
function noteRefusal({ meta, outcome, status, team }: RunContext, note: PeopleNote): CadreError | undefined {
  if (outcome !== undefined)
    return new CadreError('RUN_ENDED', `run ${meta.runId} has ended (${status}); its agents read no more notes`);
  try {
    checkNote(team.shared, note);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CadreError) return thrown;
    throw thrown;
  }
}

function editRefusal(
  run: RunContext,
  { env }: DecisionContext,
  input: Extract<Input, { kind: 'profiles' | 'modules' }>,
): CadreError | undefined {
  const { runId, profiles } = run.meta;
  if (run.outcome !== undefined)
    return new CadreError('RUN_ENDED', `run ${runId} has ended (${run.status}); it cannot be changed any more`);
  if (input.kind === 'modules') {
    const result = moduleEdits(env, run, input.actions, { at: run.at });
    if (result.ok) return undefined;
    const { index, reason } = result;
    return new CadreError('OPTION_INVALID', `action ${index} (${input.actions[index]?.action}): ${reason}; none was carried out`);
  }
  if (profiles !== input.before)
    return new CadreError(
      'OPTION_INVALID',
      `the profiles of run ${runId} were changed by another edit meanwhile; check them and try again`,
    );
  // An agent may have started since the edit was checked.
  for (const { meta, status } of run.agents.values())
    if (status !== 'ended' && env.profiles.get(meta.profile)?.isActive !== true)
      return new CadreError(
        'PROFILE_DISABLED',
        `run ${runId}: ${meta.agentId} is at work by '${meta.profile}'; end it first, or wait for it`,
      );
  return undefined;
}

function answerRefusal(
  run: RunContext,
  decision: DecisionContext,
  input: Extract<Input, { kind: 'answer' }>,
): CadreError | undefined {
  const { asking: id, verdict } = input;
  const asking = openAsking(run, id);
  const found = asking?.kind === 'call' ? asking : undefined;
  const waitFor = found?.waitFor;
  const kind = asking?.kind === 'own' ? 'question' : waitFor?.kind;
  if (kind !== (verdict === 'answered' ? 'question' : 'approval'))
    return new CadreError('PENDING_UNKNOWN', `request ${id} of run ${run.meta.runId} does not wait any more`, { details: { id } });
  if (verdict === 'approved' && found !== undefined && decision.env.catalog.get(found.call.request.name) === undefined)
    return new CadreError(
      'TOOL_MISSING',
      `'${found.call.request.name}' is not there to run, so ${id} still waits; bring back what its toolset needs (the run's warnings say what is missing), or reject the call`,
    );
  if (waitFor?.kind === 'approval' && input.fingerprint !== undefined && input.fingerprint !== waitFor.capability.fingerprint)
    return new CadreError(
      'APPROVAL_CHANGED',
      `${id} asks for something else than the fingerprint ${input.fingerprint} names${waitFor.changed === undefined ? '' : ` (changed: ${waitFor.changed.join(', ')})`}; it was not let run, and still waits. Look at it again`,
    );
  if (input.args !== undefined && found !== undefined) return editProblem(run, decision, found, input.args);
  // Its profile may have been changed while it waited.
  if (verdict === 'approved' && found !== undefined) {
    const gone = goneProblem(decision, found);
    if (gone !== undefined) return gone;
  }
  if (waitFor?.kind !== 'question' || waitFor.schema === undefined) return undefined;
  const checked = decision.env.checkSchema(waitFor.schema, input.value ?? null);
  return checked.ok
    ? undefined
    : new CadreError(
        'OPTION_INVALID',
        `the answer to ${id} does not fit, and the question still waits: ${problemsText(checked, 'answer')}`,
      );
}

/** Refuses an item that was posted before, even when the run has ended meanwhile. */
function repeatRefusal(run: RunContext, { itemId, source, payload }: ItemDraft): CadreError | undefined {
  return itemId === undefined ? undefined : itemConflict(run, { itemId, source, payload });
}
