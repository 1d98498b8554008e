import { useMemo } from 'preact/hooks';
import { callIndex } from '../../src/inspect/call-index.ts';
import { diffTurns, type TurnDiff } from '../../src/inspect/turn/diff-turns.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import { turnNeighbours } from '../../src/inspect/turn/turn-neighbours.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { safe } from '../kit/safe.ts';
import { setQuery } from '../routing/router.ts';
import { useRun, useView } from '../run/page-run.ts';
import { PromptDiff } from './diff-view.tsx';
import { Section } from './section.tsx';
import { StateChanges } from './state-section.tsx';
import { spanName, type SpanNames } from './span-name.ts';

/** Maximum length of prompts compared without a click, in characters. */
const quickChars = 1_000_000;
/** Maximum number of turns to choose from. */
const mostChoices = 2_000;

/** Returns the turn to compare the prompt with: the agent's previous one, unless the address names another. */
export function useCompared(record: TurnRecord, against: string | undefined): string | undefined {
  const previous = useView((state) => turnNeighbours(state, record.turnId).ofAgent.previous, [record.turnId]).value;
  return record.prompt.spans.length === 0 ? undefined : (against ?? previous);
}

/** The difference of the prompt to that of another turn. */
export function DiffSection({ record, other }: { readonly record: TurnRecord; readonly other: string | undefined }) {
  if (record.prompt.spans.length === 0 || other === undefined) return null;
  return (
    <Section name="diff" note={`in the prompt since ${safe(other)}`} isOpen={record.prompt.text.length < quickChars}>
      {() => <Compared record={record} other={other} />}
    </Section>
  );
}

function Compared({ record, other }: { readonly record: TurnRecord; readonly other: string }) {
  const before = useView((_, store) => store.turn(other), [other]).value;
  const diff = useMemo(() => (before === undefined ? undefined : diffTurns(before, record)), [before, record.prompt]);
  return (
    <>
      <p class="small">
        <label>
          compare with <TurnChoice record={record} other={other} />
        </label>
      </p>
      {diff === undefined ? <p class="tone-waits">There is no turn {safe(other)} in this run.</p> : <Diff diff={diff} />}
    </>
  );
}

function TurnChoice({ record, other }: { readonly record: TurnRecord; readonly other: string }) {
  const turns = useView(
    (state) => [...state.turns.values()].filter(({ start, turnId }) => start.prompt !== undefined && turnId !== record.turnId),
    [record.turnId],
  ).value;
  const own = (turns ?? []).filter(({ agentId }) => agentId === record.agentId).slice(-mostChoices);
  const others = (turns ?? []).filter(({ agentId }) => agentId !== record.agentId).slice(-mostChoices);
  return (
    <select value={other} onChange={(event) => setQuery({ against: event.currentTarget.value })}>
      {[
        ['this agent', own],
        ['other agents', others],
      ].map(([label, list]) => (
        <optgroup key={label as string} label={label as string}>
          {(list as typeof own).map(({ turnId }) => (
            <option key={turnId} value={turnId}>
              {safe(turnId, 80)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function Diff({ diff }: { readonly diff: TurnDiff }) {
  const store = useRun();
  const nameOf = useMemo(() => {
    const { state } = store;
    const names: SpanNames | undefined = state === undefined ? undefined : { run: state, calls: callIndex(state) };
    return (span: PromptSpan): string => (names === undefined ? '' : spanName(names, span));
  }, [diff]);
  return (
    <>
      <PromptDiff diff={diff} nameOf={nameOf} />
      {diff.stateChanges.length > 0 && <StateChanges changes={diff.stateChanges} />}
    </>
  );
}
