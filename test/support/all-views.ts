import type { CadreEvent } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { board } from '../../src/inspect/board.ts';
import { causeChain } from '../../src/inspect/why/cause-chain.ts';
import { conversation } from '../../src/inspect/conversation.ts';
import { fromPlainFacts, type PlainProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import type { ReadContent } from '../../src/inspect/read-content.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { tree } from '../../src/inspect/tree.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { toTurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { why } from '../../src/inspect/why/why.ts';

/** Sources that a run is read from. */
export interface ViewedRun {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
  readonly profiles: Readonly<Record<string, PlainProfileFacts>>;
}

/** Every view of a run, and every record of a turn with a why, as plain data; that it was imported is left out. */
export function allViews({ events, content, profiles: plain }: ViewedRun): unknown {
  const run = foldEvents(events, 'everything');
  if (run === undefined) throw new Error('no run');
  const profiles = new Map(Object.entries(plain).map(([name, facts]) => [name, fromPlainFacts(facts)]));
  const eventAt = (seq: number): CadreEvent | undefined => events[seq - 1];
  const turns = [...run.turns.values()].map((turn) => {
    const record = toTurnRecord(run, turn, content, profiles);
    const line = record.prompt.text.split('\n').at(-1) ?? '';
    const answers = line === '' ? [] : why(run, turn.turnId, line.slice(0, 200), { content, profiles, eventAt });
    return { ...record, prompt: record.prompt, systemPrompt: record.systemPrompt, tools: record.tools, answers };
  });
  const { imported: _imported, ...overview } = runOverview(run);
  const views = { overview, turns, board: board(run), conversation: conversation(run), tree: tree(run), list: turnList(run) };
  const causes = events.map(({ seq }) => causeChain(eventAt, seq).length);
  return JSON.parse(JSON.stringify({ ...views, timeline: timeline(run), causes }));
}
