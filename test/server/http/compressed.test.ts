import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { openEvents } from './event-reader.ts';
import { rawAnswer } from './raw-answer.ts';
import { servedTeam } from './served-team.ts';

it('F63: answers are compressed for clients that take them so, and are the same; streams of events are not', async () => {
  const { served, launch } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'word '.repeat(2_000) }] });
  const run = await launch();
  await run.settled();
  const gzip = { 'accept-encoding': 'gzip, deflate, br' };
  for (const path of [
    `/api/runs/${run.id}/journal`,
    `/api/runs/${run.id}/state`,
    `/api/chat/${run.id}/messages`,
    '/api/openapi.json',
  ]) {
    const plain = await rawAnswer(served.url + path, {});
    const small = await rawAnswer(served.url + path, gzip);
    expect([path, plain.headers['content-encoding'], small.headers['content-encoding']]).toEqual([path, undefined, 'gzip']);
    expect(small.headers['vary']).toMatch(/accept-encoding/i);
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(small.body).toString()).toBe(plain.body.toString());
  }
  const refused = await rawAnswer(`${served.url}/api/runs/${run.id}/journal`, { 'accept-encoding': 'gzip;q=0, identity' });
  expect(refused.headers['content-encoding']).toBeUndefined();
  const events = await openEvents(`${served.url}/api/runs/${run.id}/events`, { headers: gzip });
  expect(events.response.headers['content-encoding']).toBeUndefined();
  events.close();
});
