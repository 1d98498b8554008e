import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { readPlainPrices } from '../../src/profiles/files/plain-prices.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

/** List in the form of models.dev, with missing and unusual entries. */
const list = {
  openai: {
    id: 'openai',
    models: {
      'gpt-9': {
        cost: {
          input: 1.5,
          output: 12,
          cache_read: 0.15,
          tiers: [{ input: 3, output: 18, tier: { type: 'context', size: 272_000 } }],
        },
      },
      'gpt-free': { cost: {} },
      'gpt-odd': { cost: { input: -1, output: '2' } },
      whisper: {},
    },
  },
  google: {
    models: { 'gemini-9': { cost: { input: 2, output: 9, context_over_200k: { input: 4, output: 18, cache_read: 0.4 } } } },
  },
  togetherai: { models: { 'a/b:free': { cost: { input: 0, output: 0 } } } },
};

const answers: Record<string, string> = { '/api.json': JSON.stringify(list), '/page': '<html>', '/empty': '{}' };
const server = createServer((request, response) => {
  const body = answers[request.url ?? ''];
  response.writeHead(body === undefined ? 404 : 200).end(body);
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** Creates a folder with a team. */
async function teamFolder(): Promise<string> {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, 'agent_profiles'));
  writeFileSync(join(cwd, 'agent_profiles', 'a.yaml'), 'name: A\ninstructions: x\n');
  return cwd;
}

describe('F15: cadre prices', () => {
  it('says what a model costs, by the team and by what comes with Cadre', async () => {
    const cwd = await teamFolder();
    expect(await runCli(['prices', 'openai/gpt-5-mini-2025-08-07'], { cwd })).toMatchObject({
      code: 0,
      out: 'openai/gpt-5-mini-2025-08-07: { input: 0.25, output: 2, cache_read: 0.025 }\n',
    });
    writeFileSync(
      join(cwd, 'agent_profiles', 'own.yaml'),
      'type: prices\nprices: { openai/gpt-5-mini: { input: 7, output: 8 } }\n',
    );
    const own = await runCli(['prices', 'openai/gpt-5-mini', '--json'], { cwd });
    expect(JSON.parse(own.out)).toEqual({ 'openai/gpt-5-mini': { input: 7, output: 8 } });
    expect((await runCli(['prices', 'anthropic'], { cwd })).out).toMatch(/^anthropic\/claude-.*\n(?:anthropic\/claude-.*\n)+$/);
    expect(await runCli(['prices', 'opnai'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('providers with prices: openai'),
    });
  });

  it('--update writes the prices of a list into the team, and they hold', async () => {
    const cwd = await teamFolder();
    const from = ['--from', `${base}/api.json`];
    expect(await runCli(['prices', '--update', 'openai', 'google', 'together', ...from], { cwd })).toMatchObject({
      code: 0,
      out: 'agent_profiles/prices.yaml\n',
    });
    const text = readFileSync(join(cwd, 'agent_profiles', 'prices.yaml'), 'utf8');
    const read = compileProfileFiles([{ path: 'p.yaml', text }]).set?.prices;
    expect(Object.fromEntries(read ?? [])).toEqual({
      'google/gemini-9': { input: 2, output: 9, above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 } },
      'openai/gpt-9': { input: 1.5, output: 12, cacheRead: 0.15, above: { tokens: 272_000, input: 3, output: 18 } },
      'together/a/b:free': { input: 0, output: 0 },
    });
    expect((await runCli(['prices', 'openai/gpt-9'], { cwd })).out).toContain('input: 1.5');
    // An existing file is replaced only with --force, and an unreadable list changes nothing.
    expect(await runCli(['prices', '--update', ...from], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--force replaces it'),
    });
    expect((await runCli(['prices', '--update', '--force', '--from', `${base}/page`], { cwd })).code).toBe(2);
    expect(readFileSync(join(cwd, 'agent_profiles', 'prices.yaml'), 'utf8')).toBe(text);
    const plain = await runCli(['prices', '--update', '--force', 'openai', 'google', ...from], { cwd });
    expect(plain.code).toBe(0);
    expect(readPlainPrices(readFileSync(join(cwd, 'agent_profiles', 'prices.yaml'), 'utf8'))?.size).toBe(2);
  });

  it.each([
    ['/page', 'JSON'],
    ['/gone', 'the server answered 404'],
    ['/empty', 'it has no price of'],
  ])('a list that is none is refused: %s', async (address, why) => {
    const cwd = await teamFolder();
    expect(await runCli(['prices', '--update', '--from', `${base}${address}`], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringMatching(new RegExp(`no prices could be read from .*${why}`)),
    });
  });

  it('a team that comes with Cadre is not written into', async () => {
    const cwd = await temporaryFolder();
    for (const team of [[], ['--profiles', 'openmanus']])
      expect(await runCli(['prices', '--update', ...team, '--from', `${base}/api.json`], { cwd })).toMatchObject({
        code: 2,
        err: expect.stringContaining('a team that comes with Cadre'),
      });
  });
});
