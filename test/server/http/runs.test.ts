import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import { foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { ContentHash } from '../../../src/core/ids.ts';
import { runOverview } from '../../../src/inspect/run-overview.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from './served-team.ts';

describe('runs over HTTP', () => {
  it('who answers, and what can be launched', async () => {
    const { get } = await servedTeam({ profile: { Root: 'type: partner', Other: '' } });
    expect(await get('/api/info')).toMatchObject({
      name: 'cadre',
      location: 'memory',
      canControl: true,
      defaultProfile: 'Root',
      profiles: [
        { name: 'Root', type: 'partner' },
        { name: 'Other', type: 'associate' },
      ],
    });
    const reading = await servedTeam({}, { readOnly: true });
    expect(await reading.get('/api/info')).toMatchObject({ canControl: false });
  });

  it('[A5.web] are listed newest first, searched, filtered, and paged without a gap', async () => {
    const { engine, clock, get } = await servedTeam({ profile: waitsForUser, replies: () => ({ text: 'Well.' }) });
    const ids: string[] = [];
    for (const title of ['Red apples', 'Green pears', 'Red plums']) {
      const run = await engine.launch({ profile: 'Root', input: 'Go.', title });
      await run.settled();
      ids.unshift(run.id);
      await clock.advance(1_000);
    }
    const list = async (query: string): Promise<readonly string[]> =>
      ((await get(`/api/runs${query}`)) as { runs: { runId: string }[] }).runs.map(({ runId }) => runId);
    expect(await list('')).toEqual(ids);
    expect(await get('/api/runs')).toMatchObject({
      more: false,
      runs: [{ isLive: true, title: 'Red plums', status: 'idle' }, {}, {}],
    });
    expect(await list('?q=RED')).toEqual([ids[0], ids[2]]);
    expect(await list(`?q=${ids[1]}`)).toEqual([ids[1]]);
    expect(await list('?q=root')).toEqual(ids);
    expect(await list('?status=completed')).toEqual([]);
    expect(await list('?status=idle&q=pears')).toEqual([ids[1]]);
    expect(await get('/api/runs?limit=2')).toMatchObject({ more: true });
    expect(await list('?limit=2')).toEqual(ids.slice(0, 2));
    expect(await list(`?limit=2&before=${ids[1]}`)).toEqual([ids[2]]);
    expect(await get('/api/runs?before=none', 400)).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
    expect(await get('/api/runs?limit=-1', 400)).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
  });

  it('one is read at a glance, as its journal, with its texts and profiles', async () => {
    const { launch, get, text, journal } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'Well.' }] });
    const run = await launch('What is up?');
    await run.settled();
    const lines = (await text(`/api/runs/${run.id}/journal`)).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as CadreEvent);
    expect(events).toEqual(JSON.parse(JSON.stringify(await journal.read(run.id))));
    expect((await text(`/api/runs/${run.id}/journal?after=3&limit=2`)).trim().split('\n')).toEqual(lines.slice(3, 5));
    const state = foldEvents(events, 'everything');
    expect(await get(`/api/runs/${run.id}`)).toEqual(
      JSON.parse(JSON.stringify({ ...(state && runOverview(state)), isLive: true, isAbandoned: false })),
    );
    const system = events.flatMap((event) => (event.type === 'turn.start' ? [event.prompt?.system ?? ''] : []))[0] ?? '';
    const list = await journal.content(system as ContentHash);
    const [segment] = JSON.parse(list ?? '[]') as { hash: string }[];
    const other = 'AAAAAAAAAAAAAAAAAAAAAA';
    const asked = await get(`/api/runs/${run.id}/contents?hash=${system}&hash=${segment?.hash}&hash=${other}`);
    expect(asked).toEqual({ [system]: list, [segment?.hash ?? '']: expect.stringContaining('You work.'), [other]: null });
    expect(await get(`/api/runs/${run.id}/contents`, 400)).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
    expect(await get(`/api/runs/${run.id}/profiles`)).toMatchObject({ Root: { name: 'Root', llmConfigRef: 'm' } });
    for (const path of ['', '/journal', '/contents?hash=x', '/profiles'])
      expect(await get(`/api/runs/none${path}`, 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
  });

  it('a run answers with the texts it refers to, and with no other', async () => {
    const profile = { A: waitsForUser, B: `instructions: Only B knows.\n${waitsForUser}` };
    const { engine, get, journal } = await servedTeam({ profile, replies: () => ({ text: 'Well.' }) });
    const systemOf = async (name: string): Promise<{ readonly runId: string; readonly system: string }> => {
      const run = await engine.launch({ profile: name, input: 'Go.' });
      await run.settled();
      const events = await journal.read(run.id);
      return {
        runId: run.id,
        system: events.flatMap((event) => (event.type === 'turn.start' ? [event.prompt?.system ?? ''] : []))[0] ?? '',
      };
    };
    const [a, b] = [await systemOf('A'), await systemOf('B')];
    expect(await get(`/api/runs/${a.runId}/contents?hash=${a.system}&hash=${b.system}`)).toEqual({
      [a.system]: expect.any(String),
      [b.system]: null,
    });
  });
});
