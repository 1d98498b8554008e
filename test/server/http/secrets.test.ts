import { expect, it } from 'vitest';
import { operations } from '../../../src/server/openapi/openapi-document.ts';
import { allow, tool } from '../../support/tools.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from './served-team.ts';

const secret = 'sk-planted-0123456789abcdef';
const forms = [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(`"${secret}"`),
];

it('S6: no answer of the server holds a secret, whoever said it: a person, a model, a tool, its error, its title', async () => {
  const team = await servedTeam({
    profile: waitsForUser + allow('look', 'fail'),
    secrets: [secret],
    tools: [
      tool('look', () => `the key is ${forms.join(' ')}`),
      tool('fail', () => {
        throw new Error(`refused for ${secret}`);
      }),
    ],
    replies: [
      {
        text: `I use ${secret}`,
        toolCalls: [
          { name: 'look', args: { with: secret } },
          { name: 'fail', args: {} },
        ],
      },
      { text: `It was ${forms.join(' and ')}` },
      { text: 'done' },
    ],
  });
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(team.served.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect({ path, leaks: forms.filter((form) => text.includes(form)) }).toEqual({ path, leaks: [] });
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };
  const runId = String((await post('/api/runs', { input: `Use ${secret}`, title: `About ${secret}` }))['runId']);
  const run = await team.engine.open(runId);
  await run.settled();
  await post(`/api/runs/${runId}/messages`, { text: `Again with ${secret}` });
  await run.settled();
  await post(`/api/runs/${runId}/cancel`, { reason: `because of ${secret}` });
  const [first, second] = run.turns().map(({ turnId }) => turnId);
  const texts = (await team.text(`/api/runs/${runId}/journal`)).match(/[A-Za-z0-9_-]{22}/g) ?? [];
  const asked: string[] = [];
  // The live list of runs never ends; its rows are those of the list.
  const values: Readonly<Record<string, readonly string[]>> = {
    text: ['key'],
    before: [first ?? ''],
    after: [second ?? ''],
    hash: [...new Set(texts)].slice(0, 90),
  };
  for (const { method, path, query = [] } of operations) {
    // The live list of runs never ends; its rows are those of the list.
    if (method !== 'get' || path === '/api/events' || path.startsWith('/api/chat')) continue;
    const asks = new URL(path.replace(':id', runId).replace(':turnId', first ?? ''), team.served.url);
    for (const { name, required } of query)
      if (required === true) for (const value of values[name] ?? []) asks.searchParams.append(name, value);
    const text = await (await fetch(asks)).text();
    expect({ path, leaks: forms.filter((form) => text.includes(form)) }).toEqual({ path, leaks: [] });
    asked.push(path);
    if (path.endsWith('/journal')) expect(text).toContain('[secret]');
  }
  expect(asked).toEqual(expect.arrayContaining(['/api/runs', '/api/runs/:id', '/api/runs/:id/journal', '/api/runs/:id/contents']));
});
