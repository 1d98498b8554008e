import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
let workspace = '';
beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'cadre-attach-'));
  await mkdir(path.join(workspace, 'in'));
  await writeFile(path.join(workspace, 'in/dot.png'), png);
  await writeFile(path.join(workspace, 'note.txt'), 'a note: ü');
  await writeFile(path.join(workspace, 'huge.bin'), '');
  await writeFile(path.join(workspace, 'in/.env'), 'KEY=1\n');
  await symlink('/etc/passwd', path.join(workspace, 'link.txt'));
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

const image = { type: 'file', mediaType: 'image/png', filename: 'dot.png', data: { type: 'data', data: png.toString('base64') } };

async function launched(input: unknown) {
  const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'seen' }, { text: 'seen again' }] });
  const run = await team.engine.launch({ profile: 'Root', input }, { workspace });
  await run.settled();
  return { team, run };
}

describe('[A1.13.attachments] files that a user attaches', () => {
  it('by path, as bytes, as a data URL and as a link become parts of the prompt', async () => {
    const { team, run } = await launched({
      prompt: 'Look.',
      attachments: [
        'in/dot.png',
        { path: path.join(workspace, 'note.txt') },
        { data: png.toString('base64'), filename: 'dot.png' },
        { url: `data:image/png;base64,${png.toString('base64')}`, filename: 'dot.png' },
        { url: 'https://example.com/cat.jpg' },
      ],
    });
    const prompt = team.model.requests[0]?.prompt.at(-1);
    expect(prompt).toMatchObject({
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        image,
        { type: 'file', mediaType: 'text/plain', filename: 'note.txt', data: { type: 'text', text: 'a note: ü' } },
        image,
        image,
        { type: 'file', mediaType: 'image/jpeg' },
      ],
    });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('come with a later message, too', async () => {
    const { team, run } = await launched('Hello.');
    const payload = { prompt: 'And this?', attachments: ['in/dot.png'] };
    await run.send({ source: 'USER_PROMPT', payload });
    await run.settled();
    expect(team.model.requests[1]?.prompt.at(-1)).toMatchObject({ content: [{ text: 'And this?' }, image] });
  });

  it('are meant in what a user says only: other items keep their keys', async () => {
    const { team, run } = await launched('Hello.');
    await run.send({ source: 'BUILD_FAILED', payload: { attachments: ['log.txt'] } });
    await run.settled();
    expect(JSON.stringify(team.model.requests[1]?.prompt.at(-1))).toContain('log.txt');
  });

  it.each([
    ['a path outside', '../secret', 'PATH_REFUSED', /climbs out/],
    ['another whole path', '/etc/passwd', 'PATH_REFUSED', /refused/],
    ['a link that leads out', 'link.txt', 'PATH_REFUSED', /link/],
    ['a file with secrets', 'in/.env', 'PATH_REFUSED', /secrets/],
    ['a journal', '.cadre/journal.db', 'PATH_REFUSED', /journal/],
    ['nothing there', 'no.png', 'OPTION_INVALID', /attachments\[0\] cannot be read: no\.png.*does not exist/],
    ['a folder', 'in', 'TOOL_FAILED', /in/],
    ['no source', { filename: 'x' }, 'OPTION_INVALID', /needs one of path, url and data/],
    ['two sources', { path: 'a', url: 'b' }, 'OPTION_INVALID', /needs one of/],
    ['a mistyped key', { pth: 'a' }, 'OPTION_INVALID', /no key 'pth'; allowed: path/],
    ['a link of another kind', { url: 'file:///etc/passwd' }, 'OPTION_INVALID', /no http, https or data URL/],
    ['data that is none', { data: 'not base64!' }, 'OPTION_INVALID', /no base64/],
    ['a number', 7, 'OPTION_INVALID', /must be a path/],
  ])('that cannot be read fail the launch, before anything is written: %s', async (_name, attachment, code, message) => {
    const team = await testEngine({ profile: waitsForUser });
    const launching = team.engine.launch({ profile: 'Root', input: { prompt: 'x', attachments: [attachment] } }, { workspace });
    await expect(launching).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await team.engine.runs()).toEqual([]);
  });

  it('that are too large are refused by their size, not read', async () => {
    const { truncate } = await import('node:fs/promises');
    await truncate(path.join(workspace, 'huge.bin'), 2 ** 30);
    const team = await testEngine({ profile: waitsForUser });
    const launching = team.engine.launch({ profile: 'Root', input: { prompt: 'x', attachments: ['huge.bin'] } }, { workspace });
    await expect(launching).rejects.toMatchObject({ message: 'attachments[0] is larger than 20000000 bytes (1073741824)' });
  });
});
