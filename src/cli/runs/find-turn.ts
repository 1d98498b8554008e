import { CadreError } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { thisCommand } from '../options/this-command.ts';

const maxListed = 10;

/** Returns the turns that an argument may refer to: several when it is ambiguous, none when it names no turn. */
export function matchTurns(run: Pick<RunContext, 'turns'>, reference: string): readonly TurnId[] {
  const all = [...run.turns.keys()];
  if (reference === 'last') return all.slice(-1);
  const exact = all.filter((turnId) => turnId === reference);
  if (exact.length > 0 || reference === '') return exact;
  return all.filter((turnId) => isIdOrSuffix(turnId, reference));
}

/** True when an argument has the form of an agent's turn: `last`, or ending in `t` and a number. */
export function looksLikeTurn(reference: string): boolean {
  return reference === 'last' || /t\d+$/.test(reference);
}

function isIdOrSuffix(turnId: TurnId, reference: string): boolean {
  return turnId === reference || turnId.endsWith(`.${reference}`) || turnId.endsWith(`_${reference}`);
}

/**
 * Finds the turn that a command-line argument refers to: `last`, an id, or a suffix of exactly one id (`t3`, `2.t3`). `others` returns
 * turns that no agent took, searched when no agent's turn matches. Fails with OPTION_INVALID, listing the candidates.
 */
export function findTurn(
  run: Pick<RunContext, 'turns' | 'meta'>,
  reference: string,
  others: () => readonly { readonly turnId: TurnId }[] = () => [],
): TurnId {
  const ofAgents = matchTurns(run, reference);
  const found =
    ofAgents.length > 0
      ? ofAgents
      : others()
          .map(({ turnId }) => turnId)
          .filter((turnId) => isIdOrSuffix(turnId, reference));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const { runId } = run.meta;
  if (run.turns.size === 0) throw new CadreError('OPTION_INVALID', `run ${runId} has no turns yet`);
  const listed = found.length === 0 ? [...run.turns.keys()] : found;
  const names = listed.slice(-maxListed).join(', ');
  const more =
    listed.length > maxListed ? ` (the last ${maxListed} of ${listed.length}; see: ${thisCommand(['turns', runId])})` : '';
  const problem =
    found.length === 0 ? `run ${runId} has no turn '${reference}'; it has` : `'${reference}' is a suffix of ${found.length} turns`;
  throw new CadreError('OPTION_INVALID', `${problem}: ${names}${more}`);
}
