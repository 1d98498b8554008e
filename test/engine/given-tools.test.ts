import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CadreEvent, EventOf } from '../../src/core/events/event.ts';
import {
  CadreError,
  createEngine,
  type EngineOptions,
  type Journal,
  type ProfileSet,
  type Run,
  type Toolset,
} from '../../src/index.ts';
import { reachOfProfiles } from '../../src/engine/launch/reach-of-profiles.ts';
import type { ScriptedReplyFunction } from '../../src/models/scripted/scripted-replies.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { engineOver, sharedFolder } from '../support/engine-over.ts';
import { waitsForUser, type TestEngineOptions } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const allow = (what: string): string =>
  `${waitsForUser}tool_access_policy: { ${what} }\ntool_gates: [{ id: fine, verdict: allow }]\n`;
const allowFs = allow('allowed_toolsets: [fs]');
const everything = allow("allowed_individual_tools: ['*']");
const note = path.join(sharedFolder, 'note.txt');
const write = { toolCalls: [{ name: 'fs_write_file', args: { path: 'note.txt', content: 'was here' } }] };
const writes: ScriptedReplyFunction = ({ prompt }) => (prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : write);
const speaks: ScriptedReplyFunction = () => ({ text: 'Hello.' });
type Given = NonNullable<EngineOptions['toolsets']>;

beforeEach(() => rmSync(note, { force: true }));

async function launchedBefore(store: Journal, options: TestEngineOptions): Promise<string> {
  const { engine, launch } = await engineOver(store, { replies: speaks, ...options });
  const run = await launch();
  await run.settled();
  await engine.close();
  return run.id;
}

async function spokenTo(run: Run): Promise<readonly string[]> {
  await run.send('Go on.');
  await run.settled();
  return run.turns().at(-1)?.tools ?? [];
}

async function notes(store: Journal, id: string): Promise<readonly string[]> {
  const events = await store.read(id as CadreEvent['runId']);
  return events.flatMap((event) =>
    event.type === 'note.add' && event.agentId === undefined ? [`${event.code}: ${event.message}`] : [],
  );
}

/** Everything a journal holds of a run, as one text. */
async function stored(store: Journal, id: string): Promise<string> {
  const events = await store.read(id as CadreEvent['runId']);
  const start = events.find((event): event is EventOf<'run.start'> => event.type === 'run.start');
  const texts = await Promise.all(
    [start?.profiles, start?.given].map(async (hash) => (hash === undefined ? '' : await store.content(hash))),
  );
  return [JSON.stringify(events), ...texts].join('\n');
}

describe('settings that code gives are recorded with the run', () => {
  it('F2: a run launched with a read-only `fs` writes no file where code gives another, and the record says what differs', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, {
      profile: allowFs,
      toolsets: { fs: { kind: 'workspace', settings: { read_only: true } } },
    });
    const { engine } = await engineOver(store, { profile: allowFs, toolsets: { fs: { kind: 'workspace' } }, replies: writes });
    const run = await engine.resume(id);
    expect(await spokenTo(run)).not.toContain('fs_write_file');
    expect(existsSync(note)).toBe(false);
    expect(await notes(store, id)).toEqual([
      expect.stringMatching(/^TOOLS_CHANGED: .*toolset 'fs': settings\.read_only is true on record, and not given here/),
    ]);
    await verifyRun(run, store);
    await engine.close();
  });

  it('and where code gives none, or its files declare one of the name', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, {
      profile: allowFs,
      toolsets: { fs: { kind: 'workspace', settings: { read_only: true } } },
    });
    const file = { path: 'toolsets/fs.yaml', text: 'type: toolset\nname: fs\nkind: workspace\n' };
    const { engine, launch } = await engineOver(store, { profile: allowFs, files: [file], replies: writes });
    const run = await engine.resume(id);
    expect(await spokenTo(run)).toEqual(['fs_list_files', 'fs_read_file', 'fs_search_files']);
    expect(existsSync(note)).toBe(false);
    const fresh = await launch();
    await fresh.settled();
    expect(existsSync(note)).toBe(true);
    await engine.close();
  });

  it("with profiles: 'current' it takes what code gives now, says so, and the next process goes by that", async () => {
    const store = createMemoryJournal();
    const given = (settings: object): Given => ({ fs: { kind: 'workspace', settings: { ...settings } } });
    const id = await launchedBefore(store, { profile: allowFs, toolsets: given({ read_only: true }) });
    const { engine } = await engineOver(store, { profile: allowFs, toolsets: given({}), replies: writes });
    expect(await spokenTo(await engine.resume(id, { profiles: 'current' }))).toContain('fs_write_file');
    expect(await notes(store, id)).toEqual([
      expect.stringMatching(/^TOOLS_CHANGED: .*gives today: toolset 'fs': settings\.read_only/),
    ]);
    await engine.close();
    const third = await engineOver(store, { profile: allowFs, toolsets: given({ read_only: true }), replies: writes });
    expect(await spokenTo(await third.engine.resume(id))).toContain('fs_write_file');
    await third.engine.close();
  });

  it('a journal of an earlier version takes what code gives now, and records it', async () => {
    const store = createMemoryJournal();
    const toolsets: Given = { fs: { kind: 'workspace', settings: { read_only: true } } };
    const id = await launchedBefore(store, { profile: allowFs, toolsets });
    const old = createMemoryJournal();
    const events = await store.read(id as CadreEvent['runId']);
    const lease = await old.acquire(id as CadreEvent['runId'], '1@here#test');
    const [start, ...rest] = events as readonly [EventOf<'run.start'>, ...CadreEvent[]];
    const { given: _given, ...before } = start;
    const hashes = [
      start.profiles,
      ...events.flatMap((event) => (event.type === 'turn.start' && event.prompt ? [event.prompt.system, event.prompt.tools] : [])),
    ];
    const contents = await Promise.all(hashes.map(async (hash) => ({ hash, text: (await store.content(hash)) ?? '' })));
    await old.append(lease, { runId: lease.runId, expectedSeq: 0, events: [before, ...rest], contents, sync: false });
    await old.release(lease);
    const { engine } = await engineOver(old, { profile: allowFs, toolsets: { fs: { kind: 'workspace' } }, replies: speaks });
    const run = await engine.resume(id);
    expect(await spokenTo(run)).toContain('fs_write_file');
    expect(run.state.meta.given).toBeDefined();
    await engine.close();
  });
});

describe('secrets among settings that code gives', () => {
  const secret = 'sk-live-5f0c1b77aa';
  const allowShell = allow('allowed_toolsets: [box]');
  const shell = (settings: object): Given => ({ box: { kind: 'shell', settings: { sandbox: false, ...settings } } });

  it('are recorded by where they stand, never as what they are, and kept out of everything else', async () => {
    const store = createMemoryJournal();
    const command = { toolCalls: [{ name: 'box_run_command', args: { command: 'echo $PAY_KEY' } }] };
    const { engine, launch } = await engineOver(store, {
      profile: allowShell,
      toolsets: shell({ env: { PAY_KEY: secret } }),
      replies: ({ prompt }) => (prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : command),
    });
    const run = await launch();
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'ok', content: expect.stringContaining('[secret]') });
    const text = await stored(store, run.id);
    expect(text).toContain('"secrets":["env.PAY_KEY"]');
    expect(text).not.toContain(secret);
    await engine.close();
  });

  it('are those of the program that resumes the run, when nothing else of the settings differs', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowShell, toolsets: shell({ env: { PAY_KEY: secret } }) });
    const { engine } = await engineOver(store, {
      profile: allowShell,
      toolsets: shell({ env: { PAY_KEY: 'sk-live-another-one' } }),
      replies: speaks,
    });
    expect(await spokenTo(await engine.resume(id))).toContain('box_run_command');
    expect(await notes(store, id)).toEqual([]);
    await engine.close();
  });

  it.each([
    [
      'other settings',
      shell({ env: { PAY_KEY: secret }, timeout: '5s' }),
      /'box'.*another one: settings\.timeout is not given on record, and "5s" here/,
    ],
    [
      'another kind',
      { box: { kind: 'workspace' } },
      /'box'.*another one: it was settings of the kind 'shell' when the run began, and is settings of the kind 'workspace' here/,
    ],
    [
      'code in its place',
      { box: (): Toolset => ({ tools: [] }) },
      /'box'.*it was settings of the kind 'shell' when the run began, and is made by code here/,
    ],
    [
      'nothing of the name',
      {},
      /'box' \(kind shell\) was given in code with secrets, which are not on record \(settings\.env\.PAY_KEY\), and this program gives no toolset of that name/,
    ],
  ] as const)(
    'keep a run from going on with %s: nothing is written, and it can still be looked at, ended or resumed with those of today',
    async (_, toolsets, message) => {
      const store = createMemoryJournal();
      const id = await launchedBefore(store, { profile: everything, toolsets: shell({ env: { PAY_KEY: secret } }) });
      const before = await store.read(id as CadreEvent['runId']);
      const { engine } = await engineOver(store, { profile: everything, toolsets, replies: speaks });
      const refusal = { code: 'TOOLSETS_CHANGED', message: expect.stringMatching(message) };
      await expect(engine.resume(id)).rejects.toMatchObject(refusal);
      await expect(engine.fork(id)).rejects.toMatchObject(refusal);
      expect((await engine.recover()).map(({ error }) => error?.code)).toEqual(['TOOLSETS_CHANGED']);
      expect(await store.read(id as CadreEvent['runId'])).toEqual(before);
      expect((await engine.open(id)).turns()).toHaveLength(1);
      const run = await engine.resume(id, { profiles: 'current' });
      await run.settled();
      await engine.close();
      const other = await launchedBefore(store, { profile: everything, toolsets: shell({ env: { PAY_KEY: secret } }) });
      const last = await engineOver(store, { profile: everything, toolsets, replies: speaks });
      expect((await last.engine.cancel(other)).state.status).toBe('cancelled');
      await last.engine.close();
    },
  );
});

it('toolsets that a record alone says code gave must be trusted before they are made: a journal may be cloned', async () => {
  const store = createMemoryJournal();
  const evil: Given = { box: { kind: 'mcp', settings: { command: '/bin/sh', args: ['-c', 'echo evil'] } } };
  const profile = allow('allowed_toolsets: [flow]');
  const id = await launchedBefore(store, { profile, toolsets: evil });
  const asked: ProfileSet[] = [];
  const trust = (set: ProfileSet): void => {
    asked.push(set);
    if (set.toolsets.has('box')) throw new CadreError('FOLDER_UNTRUSTED', 'no');
  };
  const { engine, launch } = await engineOver(store, { profile, trust, replies: speaks });
  await expect(engine.resume(id)).rejects.toMatchObject({ code: 'FOLDER_UNTRUSTED' });
  await expect(engine.fork(id)).rejects.toMatchObject({ code: 'FOLDER_UNTRUSTED' });
  expect((await reachOfProfiles(asked[0] ?? engine.profiles)).commands).toEqual([expect.stringContaining('echo evil')]);
  // No set of files that is known to be harmless passes for it.
  expect(asked[0]?.files.length).toBe(engine.profiles.files.length + 1);
  await (await launch()).settled();
  await engine.close();
  const same = await engineOver(store, { profile, trust, toolsets: evil, replies: speaks });
  await expect(same.engine.resume(id)).resolves.toBeDefined();
  await same.engine.close();
});

describe('tools that code gives', () => {
  it('that came later are no tools of a run that began without them, whatever it allows', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: everything, tools: [tool('old', () => 1)] });
    const { engine, launch } = await engineOver(store, {
      profile: everything,
      tools: [tool('new', () => 1), tool('old', () => 1)],
      replies: speaks,
    });
    expect(await spokenTo(await engine.resume(id))).toEqual(['old']);
    const fresh = await launch();
    expect(await spokenTo(fresh)).toEqual(['new', 'old']);
    await engine.close();
  });

  it('that are gone are missing, and there again in a program that has them', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: everything, tools: [tool('mine', () => 1)] });
    const without = await engineOver(store, { profile: everything, replies: speaks });
    expect(await spokenTo(await without.engine.resume(id))).toEqual([]);
    await without.engine.close();
    const again = await engineOver(store, { profile: everything, tools: [tool('mine', () => 1)], replies: speaks });
    expect(await spokenTo(await again.engine.resume(id))).toEqual(['mine']);
    await again.engine.close();
  });

  it('whose effect has changed are told of, once', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: everything, tools: [tool('pay', () => 1)] });
    for (const _ of [1, 2]) {
      const { engine } = await engineOver(store, {
        profile: everything,
        tools: [tool('pay', () => 1, { effect: 'pure' })],
        replies: speaks,
      });
      await spokenTo(await engine.resume(id));
      await engine.close();
    }
    expect(await notes(store, id)).toEqual([expect.stringMatching(/tool 'pay': effect was "unsafe" and is "pure"/)]);
  });

  it('leave no name to a tool of the team that code gave another one by', async () => {
    const store = createMemoryJournal();
    const mine = tool('finish_flow', () => 1);
    const id = await launchedBefore(store, { profile: everything, team: {}, tools: [mine] });
    const { engine, launch } = await engineOver(store, { profile: everything, team: {}, replies: speaks });
    expect(await spokenTo(await engine.resume(id))).not.toContain('finish_flow');
    expect(await spokenTo(await launch())).toContain('finish_flow');
    await engine.close();
  });

  it('of the team are there as the program that launched the run had them', async () => {
    const store = createMemoryJournal();
    const alone = await launchedBefore(store, { profile: everything, team: false, tools: [tool('mine', () => 1)] });
    const { engine } = await engineOver(store, { profile: everything, team: {}, tools: [tool('mine', () => 1)], replies: speaks });
    expect(await spokenTo(await engine.resume(alone))).toEqual(['mine']);
    await engine.close();
  });
});

describe('toolsets that code makes', () => {
  const allowBox = allow('allowed_toolsets: [box]');
  const made = (name: string, settings?: object): Given => ({
    box: () => ({
      tools: [tool(name, () => 1, { toolset: 'box' })],
      ...(settings === undefined ? {} : { settingsFor: () => ({ ...settings }) }),
    }),
  });

  it('are those of the program that resumes the run, and the difference is on record', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowBox, toolsets: made('one') });
    const { engine } = await engineOver(store, { profile: allowBox, toolsets: made('two'), replies: speaks });
    expect(await spokenTo(await engine.resume(id))).toEqual(['two']);
    const events = await store.read(id as CadreEvent['runId']);
    expect(events).toContainEqual(
      expect.objectContaining({ code: 'TOOLS_CHANGED', message: expect.stringContaining('gone: one; new: two') }),
    );
    await engine.close();
  });

  it('and say that they are made from other settings keep the run from going on', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowBox, toolsets: made('one', { address: 'https://one.example' }) });
    const { engine } = await engineOver(store, {
      profile: allowBox,
      toolsets: made('one', { address: 'https://two.example' }),
      replies: speaks,
    });
    await expect(engine.resume(id)).rejects.toMatchObject({
      code: 'TOOLSETS_CHANGED',
      message: expect.stringMatching(/settings\.address is "https:\/\/one\.example" on record, and "https:\/\/two\.example" here/),
    });
    await engine.close();
  });
});

it('LLM configs that a config names as its fallbacks are those of its own set, not of another with the same names', async () => {
  const store = createMemoryJournal();
  const config = (name: string, rest: string) => ({ path: `llm_configs/${name}.yaml`, text: `name: ${name}\n${rest}` });
  const profile = `${waitsForUser}llm_config_ref: main\n`;
  const files = (spare: string) => [
    config('main', 'config: { model: openai/broken, fallbacks: [spare] }\n'),
    config('spare', 'config: { provider: scripted, script: scripts/spare.yaml }\n'),
    { path: 'scripts/spare.yaml', text: `rules: []\notherwise: ${spare}\n` },
  ];
  const models = { 'openai/broken': scriptedModel(() => ({ error: { status: 400 } })) };
  const id = await launchedBefore(store, { profile, models, files: files('the old spare') });
  const { engine, launch } = await engineOver(store, { profile, models, files: files('the new spare') });
  const fresh = await launch();
  await spokenTo(fresh);
  const old = await engine.resume(id);
  await spokenTo(old);
  expect([old, fresh].map((run) => run.turns().at(-1)?.reply?.text)).toEqual(['the old spare', 'the new spare']);
  await engine.close();
});

it('an option that names no kind is refused before anything is read', async () => {
  const models = { default: scriptedModel([]) };
  const toolsets = { fs: { kind: 'wrkspace' } };
  await expect(createEngine({ profiles: { files: [] }, models, toolsets, store: 'memory' })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(/there is no kind 'wrkspace' for the toolset 'fs'; kinds: mcp, module, web/),
  });
});
