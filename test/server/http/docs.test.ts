import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from './served-team.ts';

it('every curl of docs/server.md is answered', async () => {
  const { served } = await servedTeam({ profile: waitsForUser, replies: () => ({ text: 'You are here.' }) });
  const page = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'server.md'), 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('curl '));
  expect(lines.length).toBeGreaterThan(5);
  let runId = '';
  for (const line of lines) {
    const [, address = ''] = /(http:\/\/127\.0\.0\.1:4111[^\s']*)/.exec(line) ?? [];
    const [, body] = / -d '(.*)'/.exec(line) ?? [];
    const url = address.replace('http://127.0.0.1:4111', served.url).replace('RUN', runId).replace('TURN', 'Root_1.t1');
    const headers = line.includes('application/json') ? { 'content-type': 'application/json' } : {};
    const response = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body });
    expect([line, response.ok]).toEqual([line, true]);
    if (!response.headers.get('content-type')?.startsWith('application/json')) {
      await response.body?.cancel();
      continue;
    }
    const answer = (await response.json()) as { readonly runId?: string };
    if (response.status === 201) runId = answer.runId ?? '';
  }
});
