import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type CadreEvent } from '../../src/index.ts';
import { secretForms } from '../../src/core/secrets/secret-forms.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Twenty secrets; each is planted in a place of its own. */
const canaries = Array.from({ length: 20 }, (_, index) => `cnry-${index}/${(index * 7919).toString(36)}+Zq"${index}`);
const canary = (index: number): string => canaries[index] ?? '';

const escaped = (text: string): string =>
  [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** What of the secrets a text holds, in any form they are written in. */
function hitsIn(text: string): readonly string[] {
  return canaries.filter((secret) => [...secretForms(secret), escaped(secret)].some((form) => text.includes(form)));
}

const gate = 'tool_gates:\n  - { id: ask, tools: [pay], verdict: ask, message: "Pay {{ args.note }}?" }\n';

describe('planted secrets', () => {
  it('[B.79] none of 20, wherever it comes in, is in the data folder, in a record, in what is live, or in a prompt', async () => {
    const tools = [
      tool('look', (_args, { progress }) => {
        progress(0.5, `note ${canary(0)}`);
        return {
          deep: [{ [`key ${canary(1)}`]: { value: canary(2), url: `https://a.b/?t=${encodeURIComponent(canary(3))}` } }],
          header: `Basic ${Buffer.from(`me:${canary(4)}`).toString('base64')}`,
          json: JSON.stringify({ token: canary(5) }),
        };
      }),
      tool('fail', () => Promise.reject(new TypeError(`refused: ${canary(6)}`))),
      tool('parts', () => ({
        content: [
          { type: 'text', text: `head ${canary(7).slice(0, 6)}` },
          { type: 'text', text: `${canary(7).slice(6)} tail` },
        ],
        items: [{ source: 'NEWS', payload: { from: canary(8) } }],
      })),
      tool('long', () => `${'a'.repeat(500)}${canary(9)}${'b'.repeat(40_000)}`, { max_result_chars: 1000 }),
      tool('pay', () => 'paid'),
    ];
    const replies: ScriptedReply[] = [
      {
        text: `I use ${canary(10)}.`,
        reasoning: `because ${canary(11)}`,
        toolCalls: [{ name: 'look', args: { token: canary(12) } }],
      },
      {
        toolCalls: [
          { name: 'fail', input: `{"a":"${escaped(canary(13))}"}` },
          { name: 'parts', args: {} },
          { name: 'long', args: {} },
        ],
      },
      { toolCalls: [{ name: 'pay', args: { note: canary(14) } }] },
      { text: 'done' },
      { error: { status: 401, message: `bad key ${canary(15)}`, headers: { authorization: canary(15) }, body: canary(15) } },
    ];
    const model = scriptedModel(replies);
    const store = path.join(folder, 'journal.db');
    const engine = await createEngine({
      profiles: {
        files: [
          {
            path: 'profiles/Root.yaml',
            text: `name: Root\ntype: associate\nllm_config_ref: m\ninstructions: Work.\n${allow('look', 'fail', 'parts', 'long', 'pay')}${gate}${waitsForUser}`,
          },
          {
            path: 'llm_configs/keyed.yaml',
            text: 'name: keyed\ntype: llm_config\nconfig:\n  model: openai/gpt-5-mini\n  api_key: { _type: from_env, var: THE_KEY }\n  headers: { x-team: { _type: from_env, var: TEAM } }\n',
          },
        ],
      },
      models: { m: model },
      tools,
      team: false,
      store,
      env: { THE_KEY: canary(16), TEAM: `Bearer ${canary(17)}`, SEARCH_API_KEY: canary(12), HOME_TOKEN: '/home/cnry' },
      secrets: canaries.filter((_, index) => ![12, 16, 17].includes(index)),
    });
    const live: string[] = [];
    let events: readonly CadreEvent[] = [];
    const run = await engine.launch({ profile: 'Root', input: `Use ${canary(16)}.`, title: `With ${canary(17)}` });
    run.subscribe({
      onDelta: (_agent, _turn, { text }) => live.push(text),
      onProgress: ({ note }) => live.push(note),
      onEvents: (committed) => {
        events = [...events, ...committed];
      },
    });
    await run.settled();
    expect(run.pending[0]).toMatchObject({ tool: 'pay', message: 'Pay [secret]?' });
    await run.reject(run.pending[0]?.id ?? '', { message: `not with ${canary(18)}` });
    await run.settled();
    await run.send({ source: 'HOOK', payload: { [canary(19)]: [canary(19)] } });
    await run.settled();
    const records = [...run.turns()];
    const seen = [
      JSON.stringify(records),
      records.map((turn) => formatTurn(turn, { full: true })).join(''),
      JSON.stringify(events),
      JSON.stringify(run.pending),
      await run.recording(),
      JSON.stringify(model.requests.map(({ prompt }) => prompt)),
      live.join(''),
    ];
    expect(seen.map(hitsIn)).toEqual(seen.map(() => []));
    await engine.close();
    const stored = await Promise.all(
      (await readdir(folder, { recursive: true })).map((name) => readFile(path.join(folder, name), 'latin1')),
    );
    expect(stored.flatMap(hitsIn)).toEqual([]);
    // They were all there, and all were seen.
    expect(JSON.stringify(events).match(/\[secret\]/g)?.length).toBeGreaterThan(20);
    expect(live.join('')).toContain('I use [secret].');
    expect(live.join('')).toContain('note [secret]');
    expect(records[1]?.toolInteractions.map(({ status }) => status)).toEqual(['error', 'ok', 'ok']);
  });

  it('F41: one that a tool or model wraps, dumps or colours is in no journal, prompt, or live reply', async () => {
    const secret = 'sk-live-9fQ2xT7bLm4WzR8cVa0K';
    const base64 = Buffer.from(`user:${secret}`).toString('base64');
    const hex = Buffer.from(secret).toString('hex');
    const lines = (text: string, width: number): string => text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
    const forms = [
      lines(base64, 9),
      `00000000: ${hex.slice(0, 32).replace(/..../g, '$& ')} sk-live-9fQ2xT7b\n00000010: ${hex.slice(32).replace(/..../g, '$& ')}          Lm4WzR8cVa0K`,
      [...secret].map((letter) => `\u001b[31m${letter}\u001b[0m`).join(''),
      lines(secret, 5),
    ];
    const text = `${forms.join('\n--\n')}\n`;
    const { engine, model, launch } = await testEngine({
      replies: [{ text, toolCalls: [{ name: 'look', args: { text } }] }, { text: 'done' }],
      tools: [tool('look', () => ({ stdout: text, lines: text.split('\n') }))],
      profile: `${allow('look')}${waitsForUser}`,
      secrets: [secret],
      store: path.join(folder, 'journal.db'),
    });
    const run = await launch();
    let live = '';
    run.subscribe({ onDelta: (_agent, _turn, delta) => (live += delta.text) });
    await run.settled();
    const seen = [
      JSON.stringify([...run.turns()]),
      JSON.stringify(model.requests.map(({ prompt }) => prompt)),
      await run.recording(),
      live,
    ];
    await engine.close();
    seen.push(await readFile(path.join(folder, 'journal.db'), 'latin1'));
    for (const said of seen) {
      // Only letters and digits, without colours and spelled breaks: what separates the parts is gone.
      // oxlint-disable-next-line no-control-regex -- colours begin with one
      const bare = said.replace(/(?:\\+u001b|\u001b)\[\d+m|\\+n|[^A-Za-z0-9]/g, '');
      for (const part of [base64.slice(8, 28), hex.slice(0, 24), 'sklive9fQ2', 'Lm4WzR8c']) expect(bare).not.toContain(part);
    }
    expect(seen[0]?.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(12);
  });

  it('a secret that is cut by the chunks of a stream does not show live', async () => {
    const secret = canary(0);
    const parts = [...`I use ${secret}, then ${secret.slice(0, 5)}.`].map((delta) => ({
      type: 'text-delta' as const,
      id: 't',
      delta,
    }));
    const team = await testEngine({
      profile: waitsForUser,
      secrets: [secret],
      replies: [
        {
          parts: [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: 't' },
            ...parts,
            { type: 'text-end', id: 't' },
            {
              type: 'finish',
              finishReason: { unified: 'stop', raw: 'stop' },
              usage: {
                inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
                outputTokens: { total: 1, text: 1, reasoning: 0 },
              },
            },
          ],
        },
      ],
    });
    const run = await team.launch();
    let live = '';
    run.subscribe({ onDelta: (_agent, _turn, { text }) => (live += text) });
    await run.settled();
    expect(live).toBe(`I use [secret], then ${secret.slice(0, 5)}.`);
    expect(run.turns()[0]?.reply.text).toBe(live);
  });

  it('one that is too short to be looked for is told of when the engine is made', async () => {
    const warned: string[] = [];
    const onWarning = (warning: Error): void => void warned.push(warning.message);
    process.on('warning', onWarning);
    await testEngine({ secrets: ['abc'] });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warned).toEqual([expect.stringContaining('shorter than 4 characters')]);
  });
});
