import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { Journal, Run, Toolset, ToolsetHost } from '../../src/index.ts';
import { ClientModel } from '../../src/models/client-model.ts';
import { ToolDesk } from '../../src/server/mcp/tool-desk.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { engineOver, sharedFolder } from '../support/engine-over.ts';
import { waitsForUser, type TestEngineOptions } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const fine = 'tool_gates: [{ id: fine, verdict: allow }]\n';
const allowFs = `${waitsForUser}tool_access_policy: { allowed_toolsets: [fs] }\n${fine}`;
const everything = `${waitsForUser}tool_access_policy: { allowed_individual_tools: ['*'] }\n`;

function fsFile(settings: object) {
  return { path: 'toolsets/fs.yaml', text: `type: toolset\nname: fs\nkind: workspace\nsettings: ${JSON.stringify(settings)}\n` };
}

const note = path.join(sharedFolder, 'note.txt');
const write = { toolCalls: [{ name: 'fs_write_file', args: { path: 'note.txt', content: 'was here' } }] };
const done = { text: 'Done.' };
/** Writes whenever it is spoken to. */
const writes: TestEngineOptions['replies'] = ({ prompt }) => (prompt.at(-1)?.role === 'tool' ? done : write);

beforeEach(() => rmSync(note, { force: true }));

/** What a run wrote when it is told to, and what became of its call. */
async function wrote(run: Run): Promise<{ readonly isThere: boolean; readonly code: string | undefined }> {
  rmSync(note, { force: true });
  await run.send('Write.');
  await run.settled();
  const calls = run.turns().flatMap(({ toolInteractions }) => toolInteractions);
  return { isThere: existsSync(note), code: calls.at(-1)?.error?.code };
}

const refused = { isThere: false, code: 'TOOL_UNKNOWN' };
const written = { isThere: true, code: undefined };

/** The id of a run that another program launched, which has spoken once and waits. */
async function launchedBefore(store: Journal, options: TestEngineOptions): Promise<string> {
  const { engine, launch } = await engineOver(store, { replies: [{ text: 'Ready.' }], ...options });
  const run = await launch();
  await run.settled();
  await engine.close();
  return run.id;
}

async function events(store: Journal, id: string): Promise<readonly CadreEvent[]> {
  return await store.read(id as CadreEvent['runId']);
}

describe('F2: recorded settings of toolsets hold when a run is resumed', () => {
  it('a run launched with `fs: {read_only: true}` writes no file in an engine whose `fs` is not read-only', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowFs, files: [fsFile({ read_only: true })] });
    const { engine } = await engineOver(store, { profile: allowFs, files: [fsFile({})], replies: [write, done] });
    const run = await engine.resume(id);
    expect(await wrote(run)).toEqual(refused);
    await verifyRun(run, store);
    await engine.close();
  });

  it("with profiles: 'current' it takes today's settings, and the record says so for the next process", async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowFs, files: [fsFile({ read_only: true })] });
    const { engine } = await engineOver(store, { profile: allowFs, files: [fsFile({})], replies: [write, done] });
    expect(await wrote(await engine.resume(id, { profiles: 'current' }))).toEqual(written);
    await engine.close();
    const third = await engineOver(store, { profile: allowFs, files: [fsFile({ read_only: true })], replies: [write, done] });
    expect(await wrote(await third.engine.resume(id))).toEqual(written);
    await third.engine.close();
  });

  it('two runs with different settings of one name go on side by side, whichever was resumed first', async () => {
    const store = createMemoryJournal();
    const readers = await launchedBefore(store, { profile: allowFs, files: [fsFile({ read_only: true })] });
    const writers = await launchedBefore(store, { profile: allowFs, files: [fsFile({ max_file_bytes: 1000 })] });
    const { engine, launch } = await engineOver(store, {
      profile: allowFs,
      files: [fsFile({})],
      replies: writes,
    });
    const [reader, writer] = [await engine.resume(readers), await engine.resume(writers)];
    const fresh = await launch();
    await fresh.settled();
    expect(existsSync(note)).toBe(true);
    expect([await wrote(reader), await wrote(writer), await wrote(reader), await wrote(fresh)]).toEqual([
      refused,
      written,
      refused,
      written,
    ]);
    await engine.close();
  });

  it('a fork of it has them, too, and so has a run whose profiles are changed while it goes on', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowFs, files: [fsFile({ read_only: true })] });
    const { engine } = await engineOver(store, { profile: allowFs, files: [fsFile({})], replies: writes });
    expect(await wrote(await engine.fork(id))).toEqual(refused);
    const run = await engine.resume(id);
    await run.updateProfiles([{ update: 'Root', with: { instructions: 'Write!' } }]);
    expect(await wrote(run)).toEqual(refused);
    expect(run.turns().at(-1)?.prompt.text).toContain('Write!');
    await verifyRun(run, store);
    await engine.close();
  });

  it('values of a request hold in its own run alone, also when the run is resumed beside others', async () => {
    const store = createMemoryJournal();
    const files = [fsFile({ read_only: '${LOCKED:-false}' })];
    const parts = { profile: allowFs, files };
    const first = await engineOver(store, { ...parts, replies: [{ text: 'Ready.' }] });
    const { id } = await first.launch('Go.', { request: { LOCKED: true } });
    await first.engine.close();
    const { engine, launch } = await engineOver(store, { ...parts, replies: writes });
    const run = await engine.resume(id);
    const open = await launch();
    await open.settled();
    expect(await wrote(run)).toMatchObject({ isThere: false });
    expect(await wrote(open)).toEqual(written);
    await engine.close();
  });
});

describe('F3: toolsets do not leak across runs', () => {
  const web = `${waitsForUser}tool_access_policy: { allowed_toolsets: [web] }\n`;

  it('a new run with `*` is not offered the web tools of an old run that is resumed beside it', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: web });
    const { engine, launch } = await engineOver(store, {
      profile: everything,
      tools: [tool('mine', () => 1)],
      replies: () => ({ text: 'Hello.' }),
    });
    const old = await engine.resume(id);
    const fresh = await launch();
    await fresh.settled();
    expect(fresh.turns().at(-1)?.tools).toEqual(['mine']);
    await old.send('Still there?');
    await old.settled();
    expect(old.turns().at(-1)?.tools).toEqual(['search_web', 'fetch_page']);
    await engine.close();
  });

  it('nor is a run that is edited, a fork, or a client that is served the tools of a profile', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: web });
    const client = new ClientModel();
    const { engine, launch } = await engineOver(store, {
      profile: everything,
      models: { client: client.model },
      tools: [tool('mine', () => 1)],
      replies: () => ({ text: 'Hello.' }),
    });
    await engine.resume(id);
    const run = await launch();
    await run.updateProfiles([{ update: 'Root', with: { instructions: 'Be brief.' } }]);
    await run.send('Again.');
    await run.settled();
    const fork = await engine.fork(run.id, { message: 'And you?' });
    await fork.settled();
    expect([run, fork].map((each) => each.turns().at(-1)?.tools)).toEqual([['mine'], ['mine']]);
    const desk = new ToolDesk({ engine, client, profile: 'Root', launch: { llmConfig: 'client' } });
    expect((await desk.list()).map(({ name }) => name)).toEqual(['mine']);
    await desk.close();
    await engine.close();
  });
});

describe('tools that a toolset connects to', () => {
  const allowBox = `${waitsForUser}tool_access_policy: { allowed_toolsets: [box] }\n`;

  /** A toolset of code that the test drives: its hosts, in the order in which it was connected. */
  function box(first: readonly string[]) {
    const hosts: ToolsetHost[] = [];
    const log: string[] = [];
    const offer = (...names: readonly string[]): unknown[] => names.map((name) => tool(name, () => 1, { toolset: 'box' }));
    const make = (): Toolset => ({
      tools: [],
      connect: (host) => {
        log.push('connect');
        hosts.push(host);
        host.setTools(offer(...first));
        host.setHealth({ status: 'ready' });
      },
      close: () => Promise.resolve(void log.push('close')),
    });
    return { toolsets: { box: make }, hosts, log, offer };
  }

  it('are on record from the first turn on, and again whenever they change: the record alone says what a turn could call', async () => {
    const store = createMemoryJournal();
    const { toolsets, hosts, offer } = box(['box_open']);
    const { engine, launch } = await engineOver(store, { profile: allowBox, toolsets, replies: () => ({ text: 'Hello.' }) });
    const run = await launch();
    await run.settled();
    hosts[0]?.setTools(offer('box_open', 'box_shut'));
    await run.send('Again.');
    await run.settled();
    const recorded = (await events(store, run.id)).flatMap((event) => (event.type === 'toolset.update' ? [event.tools] : []));
    const names = await Promise.all(
      recorded.map(async (hash) => (JSON.parse((await store.content(hash)) ?? '[]') as { name: string }[]).map(({ name }) => name)),
    );
    expect(names).toEqual([['box_open'], ['box_open', 'box_shut']]);
    expect(run.state.meta.toolsets.get('box')).toBe(recorded.at(-1));
    expect(run.turns().map(({ tools }) => tools)).toEqual(names);
    await verifyRun(run, store);
    await engine.close();
  });

  it('that are others when the run is resumed are recorded then, and told', async () => {
    const store = createMemoryJournal();
    const id = await launchedBefore(store, { profile: allowBox, toolsets: box(['box_open']).toolsets });
    const { engine } = await engineOver(store, { profile: allowBox, toolsets: box(['box_shut']).toolsets, replies: () => done });
    const run = await engine.resume(id);
    await run.send('Again.');
    await run.settled();
    expect(run.turns().at(-1)?.tools).toEqual(['box_shut']);
    const all = await events(store, id);
    const resumed = all.findIndex(({ type }) => type === 'run.resume');
    expect(all[resumed + 1]).toMatchObject({ type: 'toolset.update', toolset: 'box', cause: all[resumed]?.seq });
    expect(all).toContainEqual(expect.objectContaining({ type: 'note.add', code: 'TOOLS_CHANGED' }));
    await verifyRun(run, store);
    await engine.close();
  });

  it('news of a toolset reaches no run that does not use it', async () => {
    const store = createMemoryJournal();
    const { toolsets, hosts, offer } = box(['box_open']);
    const { engine, launch } = await engineOver(store, {
      profile: { Root: allowBox, Other: `${waitsForUser}tool_access_policy: { allowed_toolsets: [flow] }\n` },
      toolsets,
      replies: () => ({ text: 'Hello.' }),
    });
    const user = await launch();
    const other = await engine.launch({ profile: 'Other', input: 'Go.' });
    await Promise.all([user.settled(), other.settled()]);
    hosts[0]?.setTools(offer('box_shut'));
    hosts[0]?.setHealth({ status: 'failed', message: 'gone' });
    await Promise.all([user.settled(), other.settled()]);
    const codes = async (run: Run): Promise<readonly string[]> =>
      (await events(store, run.id)).flatMap((event) => (event.type === 'note.add' ? [event.code] : []));
    expect(await codes(user)).toEqual(['TOOLS_CHANGED', 'TOOLSET_FAILED']);
    expect(await codes(other)).toEqual([]);
    expect((await events(store, other.id)).filter(({ type }) => type === 'toolset.update')).toEqual([]);
    await engine.close();
  });

  it('what a connection says after it was closed is not heard', async () => {
    const store = createMemoryJournal();
    const { toolsets, hosts, offer, log } = box(['box_open']);
    const { engine, launch } = await engineOver(store, { profile: allowBox, toolsets, replies: () => done });
    const run = await launch();
    await run.settled();
    await engine.close();
    const before = await events(store, run.id);
    hosts[0]?.setTools(offer('box_shut'));
    hosts[0]?.setHealth({ status: 'failed' });
    expect(await events(store, run.id)).toEqual(before);
    expect(log).toEqual(['connect', 'close']);
  });
});
