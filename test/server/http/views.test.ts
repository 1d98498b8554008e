import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRecordedRun } from '../../../src/cli/runs/recorded-run.ts';
import { board } from '../../../src/inspect/board.ts';
import { conversation } from '../../../src/inspect/conversation.ts';
import { diffTurns } from '../../../src/inspect/turn/diff-turns.ts';
import { timeline } from '../../../src/inspect/timeline/timeline.ts';
import { tree } from '../../../src/inspect/tree.ts';
import { filterTurns } from '../../../src/inspect/filter-turns.ts';
import { turnList } from '../../../src/inspect/turn-list.ts';
import { createSqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
import { delegate } from '../../support/delegate.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';
import { closeAfter, servedTeam } from './served-team.ts';

const team = {
  profile: { Lead: `${waitsForUser}${allow('delegate', 'look')}`, Worker: allow('look') },
  tools: [delegate, tool('look', () => 'a grey cat', { effect: 'pure' })],
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function journalFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-views-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'journal.db');
}

it('every view is the one that its command shows, of a run that is live and of one that is not', async () => {
  const file = journalFile();
  const { launch, get, engine } = await servedTeam({
    ...team,
    store: createSqliteJournal(file),
    replies: [
      { toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'The worker saw a cat.' },
      { text: 'There is a cat.' },
      { text: 'It is grey.' },
    ],
  });
  const run = await launch('What is there?');
  await run.settled();
  const at = `/api/runs/${run.id}`;
  const check = async (): Promise<void> => {
    using recorded = await openRecordedRun(file, run.id);
    const { state, eventAt } = recorded;
    const profiles = await recorded.profiles();
    expect(await get(`${at}/timeline`)).toEqual(plain(timeline(state, { eventAt })));
    expect(await get(`${at}/board`)).toEqual(plain(board(state)));
    expect(await get(`${at}/tree`)).toEqual(plain(tree(state, profiles)));
    expect(await get(`${at}/conversation`)).toEqual(plain(conversation(state)));
    expect(await get(`${at}/turns`)).toEqual(plain(turnList(state)));
    expect(await get(`${at}/turns?type=all`)).toEqual(plain(turnList(state, filterTurns(state, { type: 'all' }))));
    const said = `turn_user_${[...state.turns.values()][0]?.itemSeqs[0]}`;
    expect(await get(`${at}/turns/${said}`)).toEqual(plain(await recorded.turn(said)));
    const [first, second] = [...state.turns.keys()];
    if (first === undefined || second === undefined) throw new Error('there are two turns');
    expect(await get(`${at}/turns/${first}`)).toEqual(plain(await recorded.turn(first)));
    const last = [...state.turns.keys()].at(-1) ?? first;
    expect(await get(`${at}/turns/${last}/why?text=${encodeURIComponent('What is there?')}`)).toEqual(
      plain(await recorded.why(last, 'What is there?')),
    );
    expect(await get(`${at}/turns/${last}/why?at=0-5`)).toHaveLength(1);
    expect(await get(`${at}/diff?before=${first}&after=${last}`)).toEqual(
      plain(diffTurns(await recorded.turn(first), await recorded.turn(last))),
    );
    expect(await get(`${at}/state`)).toMatchObject({
      meta: { runId: run.id, title: state.meta.title },
      seq: state.seq,
      agents: { [String(state.rootAgentId)]: { meta: { profile: 'Lead' } } },
      turns: { [first]: { turnId: first } },
    });
  };
  await check();
  // New events show without another kind of request.
  await run.send('Which colour?');
  await run.settled();
  await check();
  await run.cancel();
  await engine.live(run.id)?.result;
  await check();
});

it('lists the turns of an agent or of a status, and refuses what there is not', async () => {
  const { launch, get } = await servedTeam({ ...team, replies: [{ text: 'Nothing.' }] });
  const run = await launch();
  await run.settled();
  const at = `/api/runs/${run.id}`;
  expect(await get(`${at}/turns?agent=Lead_1`)).toMatchObject([{ turnId: 'Lead_1.t1', status: 'completed' }]);
  expect(await get(`${at}/turns?status=running`)).toEqual([]);
  const refused: readonly (readonly [string, number, string])[] = [
    [`${at}/turns?agent=Nobody`, 404, 'AGENT_UNKNOWN'],
    [`${at}/turns?status=lost`, 400, 'REQUEST_INVALID'],
    [`${at}/turns/none`, 404, 'TURN_UNKNOWN'],
    [`${at}/turns/__proto__`, 404, 'TURN_UNKNOWN'],
    [`${at}/turns/Lead_1.t1/why`, 400, 'REQUEST_INVALID'],
    [`${at}/turns/Lead_1.t1/why?at=nowhere`, 400, 'REQUEST_INVALID'],
    [`${at}/diff?before=Lead_1.t1`, 400, 'REQUEST_INVALID'],
    [`${at}/diff?before=Lead_1.t1&after=none`, 404, 'TURN_UNKNOWN'],
    ['/api/runs/none/state', 404, 'RUN_UNKNOWN'],
    ['/api/runs/__proto__/board', 404, 'RUN_UNKNOWN'],
    ['/api/nothing', 404, 'ROUTE_UNKNOWN'],
  ];
  for (const [address, status, code] of refused)
    expect([address, await get(address, status)]).toMatchObject([address, { error: { code } }]);
});

it('keeps a few runs open to look at, each up to date, and reads no journal twice', async () => {
  const journal = createSqliteJournal(journalFile());
  closeAfter({ close: async () => await journal.close() });
  const reads: string[] = [];
  const counted = {
    location: journal.location,
    acquire: journal.acquire.bind(journal),
    release: journal.release.bind(journal),
    append: journal.append.bind(journal),
    content: journal.content.bind(journal),
    runs: journal.runs.bind(journal),
    close: () => undefined,
    read: (...args: Parameters<typeof journal.read>) => {
      reads.push(`${args[0]} after ${args[1]?.after ?? 0}`);
      return journal.read(...args);
    },
  };
  const { launch, get } = await servedTeam({ ...team, store: counted, replies: () => ({ text: 'Nothing.' }) });
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) {
    const run = await launch();
    await run.settled();
    ids.push(run.id);
  }
  reads.length = 0;
  await Promise.all(['turns', 'tree', 'board', 'state'].map((view) => get(`/api/runs/${ids[0]}/${view}`)));
  await get(`/api/runs/${ids[0]}/timeline`);
  expect(reads.filter((read) => read.endsWith(' after 0'))).toEqual([`${ids[0]} after 0`]);
  for (const id of ids) await get(`/api/runs/${id}/tree`);
  reads.length = 0;
  await get(`/api/runs/${ids[5]}/turns`);
  await get(`/api/runs/${ids[0]}/turns`);
  expect(reads.filter((read) => read.endsWith(' after 0'))).toEqual([`${ids[0]} after 0`]);
});
