import type { ModelAttempt } from '../../src/core/model/model.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { attemptUseText, countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { safe } from '../kit/safe.ts';
import { Text } from '../kit/text.tsx';
import { Section } from './section.tsx';

/** Attempts at the model call, with errors and waiting times. */
export function ModelSection({ record }: { readonly record: TurnRecord }) {
  const { attempts } = record;
  if (attempts.length === 0) return null;
  const failed = attempts.filter(({ error }) => error !== undefined).length;
  return (
    <Section
      name="model"
      note={`${countText(attempts.length, 'attempt')}${failed === 0 ? '' : `, ${failed} failed`}`}
      isOpen={attempts.length > 1 || failed > 0}
      copy={() => ({ attempts, usage: record.usage, cost: record.cost })}
    >
      {() => (
        <ol class="t-cards">
          {attempts.map((attempt, index) => (
            <li key={index} class="t-card">
              <Attempt attempt={attempt} place={index + 1} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function Attempt({ attempt, place }: { readonly attempt: ModelAttempt; readonly place: number }) {
  const { config, model, ms, firstTokenMs, queuedMs, waitMs, error, partialText } = attempt;
  const times = [
    queuedMs === undefined ? '' : `waited ${durationText(queuedMs)} in the queue`,
    `took ${durationText(ms)}`,
    firstTokenMs === undefined ? '' : `first token after ${durationText(firstTokenMs)}`,
    waitMs === undefined ? '' : `then waited ${durationText(waitMs)}`,
    attemptUseText(attempt),
  ];
  return (
    <>
      <h4 class="t-card-head">
        <span class="number faint">{place}</span> <code>{safe(config, 80)}</code> <span class="faint">{safe(model, 120)}</span>
        <span class={error === undefined ? 'tone-good' : 'tone-bad'}>{error === undefined ? 'ok' : error.code}</span>
      </h4>
      <p class="small faint">{times.filter(Boolean).join(', ')}</p>
      {error !== undefined && <p class="tone-bad">{safe(error.message, 2_000)}</p>}
      {partialText !== undefined && partialText !== '' && (
        <details class="t-more">
          <summary>partial reply</summary>
          <Text value={partialText} label="Partial reply of this attempt" />
        </details>
      )}
    </>
  );
}
