import type { RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { turnNeighbours } from '../../src/inspect/turn/turn-neighbours.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import type { WhyAnswer } from '../../src/inspect/why/why.ts';
import { parsePlace, writePlace, type WhyPlace } from '../../src/inspect/why/why-place.ts';
import { useKeys } from '../kit/keys.ts';
import { safe } from '../kit/safe.ts';
import { runHref, turnHref, type RouteQuery } from '../routing/route.ts';
import { go, setQuery } from '../routing/router.ts';
import { useRun, useView } from '../run/page-run.ts';
import { CallsSection } from './calls-section.tsx';
import { DecisionSection } from './decision-section.tsx';
import { DiffSection, useCompared } from './diff-section.tsx';
import { TurnHead } from './head.tsx';
import { ItemsSection } from './items-section.tsx';
import { ModelSection } from './model-section.tsx';
import { ObserversSection } from './observers-section.tsx';
import { Json } from './parts.tsx';
import { PromptSection } from './prompt-section.tsx';
import { ReplySection } from './reply-section.tsx';
import { Section } from './section.tsx';
import { isTurnSection, showSection, toggle } from './sections.ts';
import { StateSection } from './state-section.tsx';
import { SystemSection } from './system-section.tsx';
import { Toc } from './toc.tsx';
import { TrailBar } from './trail-bar.tsx';
import { TurnContext, type TurnScope } from './turn-context.ts';
import { WhyPanel } from './why-panel.tsx';
import { WhySearch } from './why-search.tsx';
import './turn.css';
import './sections.css';
import './why.css';
import './lines.css';
import { whyInRun } from './why-in-run.ts';

/** The full record of one turn. */
export function TurnView({ turnId, query }: { readonly turnId: string; readonly query: RouteQuery }) {
  const record = useView((_, store) => store.turn(turnId), [turnId]).value;
  return record === undefined ? <NoTurn turnId={turnId} /> : <Turn key={turnId} record={record} query={query} />;
}

function NoTurn({ turnId }: { readonly turnId: string }) {
  const { connection, runId } = useRun();
  if (connection.value.kind === 'loading') return <p class="faint">Loading…</p>;
  return (
    <p class="empty">
      This run has no turn {safe(turnId, 120)}. <a href={runHref(runId, 'turns')}>All its turns</a>
    </p>
  );
}

function Turn({ record, query }: { readonly record: TurnRecord; readonly query: RouteQuery }) {
  const { scope, question, answers, close } = useQuestion(record, query['why'] ?? '');
  const search = useRef<HTMLInputElement | null>(null);
  useTurnKeys(record, search);
  // Takes precedence over the keys of the run, which leave this page.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || question === undefined) return;
    event.stopPropagation();
    close();
  };
  const other = useCompared(record, query['against']);
  const section = query['section'];
  useEffect(() => {
    if (isTurnSection(section)) showSection(section);
  }, [section]);
  return (
    <TurnContext.Provider value={scope}>
      <div class={question === undefined ? 'turn' : 'turn turn-asked'} onKeyDown={onKeyDown}>
        <Toc record={record} query={query} isCompared={other !== undefined} />
        <div class="turn-main">
          <TrailBar />
          <TurnHead record={record} />
          <WhySearch input={search} text={typeof question === 'string' ? question : ''} />
          <Sections record={record} other={other} />
        </div>
        {question !== undefined && <WhyPanel question={question} answers={answers} onClose={close} />}
      </div>
    </TurnContext.Provider>
  );
}

function useTurnKeys({ runId, turnId }: TurnRecord, search: RefObject<HTMLInputElement | null>): void {
  const around = useView((state) => turnNeighbours(state, turnId).ofAgent, [turnId]).value;
  const walk = (to: string | undefined): void => {
    if (to !== undefined) go(turnHref(runId, to));
  };
  useKeys([
    { keys: 'J', does: 'next turn of this agent', run: () => walk(around?.next) },
    { keys: 'K', does: 'previous turn of this agent', run: () => walk(around?.previous) },
    { keys: '/', does: 'where did a text come from?', run: () => search.current?.focus() },
  ]);
}

function Sections({ record, other }: { readonly record: TurnRecord; readonly other: string | undefined }) {
  return (
    <>
      <ItemsSection record={record} />
      <ObserversSection record={record} phase="pre" />
      <SystemSection record={record} />
      <PromptSection record={record} />
      <DiffSection record={record} other={other} />
      <ModelSection record={record} />
      <ReplySection record={record} />
      <CallsSection record={record} />
      <ObserversSection record={record} phase="post" />
      <DecisionSection record={record} />
      <StateSection record={record} />
      <Section name="raw" note="as cadre turn --json has it" isOpen={false} copy={() => record}>
        {() => <Json value={record} label="The record as JSON" />}
      </Section>
    </>
  );
}

/** Parses the question in the address: `@prompt:120-180` for a place, anything else for a text. */
function useQuestion(record: TurnRecord, why: string) {
  const store = useRun();
  const known = store.contents.revision.value;
  const opener = useRef<HTMLElement | undefined>(undefined);
  const clicked = useRef('');
  const question = useMemo((): WhyPlace | string | undefined => {
    const place = why.startsWith('@') ? parsePlace(why.slice(1)) : undefined;
    return place ?? (why === '' ? undefined : why);
  }, [why]);
  const ask = useCallback((place: WhyPlace, from?: HTMLElement): void => {
    opener.current = from;
    clicked.current = `@${writePlace(place)}`;
    setQuery({ why: clicked.current });
    // The answer takes room: scroll its line back into view.
    requestAnimationFrame(() => from?.scrollIntoView({ block: 'nearest' }));
  }, []);
  const close = useCallback((): void => {
    setQuery({ why: '' });
    opener.current?.focus({ preventScroll: true });
    opener.current = undefined;
  }, []);
  // Not computed on every event: the record changes when the answer may.
  const answers = useMemo(
    () => (question === undefined ? [] : whyInRun(store, record.turnId, question)),
    [store, record, question, known],
  );
  const found = typeof question === 'object' ? question : firstPlace(record, answers);
  const asked = useMemo(() => found, [found === undefined ? '' : writePlace(found)]);
  useEffect(() => {
    if (asked !== undefined) toggle(asked.where === 'prompt' ? 'prompt' : asked.where === 'tool_call' ? 'calls' : 'reply', true);
  }, [asked]);
  const scope = useMemo((): TurnScope => ({ record, asked, isFar: why !== clicked.current, ask }), [record, asked, why]);
  return { scope, question, answers, close };
}

/** Returns the place of the first match of a searched text. */
function firstPlace({ reply }: TurnRecord, [answer]: readonly WhyAnswer[]): WhyPlace | undefined {
  if (answer === undefined) return undefined;
  const { where, text } = answer;
  const [start, end] = answer.range;
  const call = reply.toolCalls.findIndex(({ input }) => input.slice(start, end) === text);
  return { where, ...(where === 'tool_call' ? { call } : {}), start, end };
}
