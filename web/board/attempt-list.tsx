import type { BoardAttempt } from '../../src/inspect/board.ts';
import { spanText } from '../../src/inspect/format/text/quantity-text.ts';
import { Badge } from '../kit/badge.tsx';
import { lineOf } from '../kit/line-of.ts';
import { Text } from '../kit/text.tsx';
import { FormattedText } from '../kit/formatted-text.tsx';
import { runHref } from '../routing/route.ts';

/** The attempts at a work module, in order, with their outcomes. */
export function AttemptList({ attempts, runId }: { readonly attempts: readonly BoardAttempt[]; readonly runId: string }) {
  return (
    <ol class="attempts">
      {attempts.map((attempt) => (
        <li key={attempt.dispatchId}>
          <p>
            <a href={runHref(runId, 'turns', { agent: attempt.agentId })}>{lineOf(attempt.agentId, 60)}</a>{' '}
            <Badge status={outcomeWord(attempt.outcome)} />{' '}
            <span class="faint number">{attempt.endedAt === undefined ? '' : spanText(attempt.startedAt, attempt.endedAt)}</span>
          </p>
          {attempt.roleName !== '' && <p class="faint">{lineOf(`${attempt.profile}, ${attempt.roleName}`, 160)}</p>}
          {attempt.summary !== undefined && attempt.summary !== '' && (
            <FormattedText value={attempt.summary} label="what they reported" />
          )}
          {attempt.error !== undefined && attempt.error !== null && (
            <div class="tone-bad">
              <Text value={plainText(attempt.error)} label="error" />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Returns the page's word for the outcome of an attempt. */
export function outcomeWord(outcome: BoardAttempt['outcome']): string {
  switch (outcome) {
    case 'completed_success':
      return 'success';
    case 'completed_error':
      return 'error';
    case 'running':
    case 'cancelled':
      return outcome;
  }
}

/** Returns a text as it is, other values as JSON. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
