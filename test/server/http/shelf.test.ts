import { expect, it } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from './served-team.ts';

it('[B.83] titles, projects, deletion and search over HTTP, of any run', async () => {
  const team = await servedTeam({ profile: waitsForUser, replies: ['one', 'two', 'three'].map((text) => ({ text })) });
  const url = `${team.served.url}/api`;
  const get = async (route: string): Promise<unknown> => await (await fetch(`${url}${route}`)).json();
  const post = async (route: string, body: unknown): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  };
  const ids: string[] = [];
  for (const title of ['Tea', 'Cups', 'Milk']) {
    const run = await team.engine.launch({ profile: 'Root', input: 'Go.', title });
    await run.settled();
    ids.push(run.id);
  }
  const [tea = '', cups = ''] = ids;
  expect(await post(`/runs/${tea}/rename`, { title: 'Green tea' })).toEqual([200, { runIds: [tea] }]);
  for (const id of [tea, cups]) expect((await post(`/runs/${id}/move`, { project: 'Kitchen' }))[0]).toBe(200);
  expect(await get('/projects')).toMatchObject({ projects: [{ name: 'Kitchen', runs: 2 }] });
  expect(await get('/runs?project=Kitchen&q=green')).toMatchObject({
    runs: [{ title: 'Green tea', project: 'Kitchen' }],
    more: false,
  });
  expect(await get('/runs?q=kitchen')).toMatchObject({ runs: [{}, {}] });
  expect(await get(`/runs/${tea}`)).toMatchObject({ title: 'Green tea', project: 'Kitchen' });
  // A run of this server must be cancelled before it is deleted.
  expect(await post(`/runs/${tea}/delete`, {})).toMatchObject([409, { error: { code: 'RUN_LOCKED' } }]);
  await team.engine.cancel(tea);
  expect(await post(`/runs/${tea}/delete`, { forks: true })).toEqual([200, { runIds: [tea] }]);
  expect(await get('/runs?project=Kitchen')).toMatchObject({ runs: [{ title: 'Cups' }] });
  expect(await get('/runs?deleted=true')).toMatchObject({ runs: [{ runId: tea, deletedAt: expect.any(Number) }] });
  expect(await post(`/runs/${tea}/restore`, {})).toEqual([200, { runIds: [tea] }]);
  expect(await post('/projects/rename', { from: 'Kitchen', to: 'House' })).toEqual([200, { runs: 2 }]);
  expect(await post('/projects/rename', { from: 'Kitchen', to: 'House' })).toMatchObject([
    400,
    { error: { code: 'OPTION_INVALID' } },
  ]);
  const [status, launched] = await post('/runs', { profile: 'Root', input: 'Go.', project: 'House' });
  expect(status).toBe(201);
  await team.engine.live((launched as { readonly runId: string }).runId)?.settled();
  expect(await get('/projects')).toMatchObject({ projects: [{ name: 'House', runs: 3 }] });
  expect(await post('/runs', { profile: 'Root', input: 'Go.', project: ' ' })).toMatchObject([400, {}]);
  expect(await post('/runs/nobody/rename', { title: 'x' })).toMatchObject([404, { error: { code: 'RUN_UNKNOWN' } }]);
  expect(await post(`/runs/${tea}/move`, { project: 5 })).toMatchObject([400, { error: { code: 'REQUEST_INVALID' } }]);
});
