import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { loadProfiles, createEngine, type Engine, type ToolsetHost } from '../../src/index.ts';
import { knownToolsetKinds } from '../../src/engine/toolsets/known-toolset-kinds.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { temporaryFolder } from '../cli/cli-process.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';

interface File {
  readonly path: string;
  readonly text: string;
}

const profile = (rest: string, toolsets = 'builder_shell'): File => ({
  path: 'profiles/a.yaml',
  text: `name: A\nllm_config_ref: m\ninstructions: You work.\ntool_access_policy: { allowed_toolsets: [${toolsets}] }\n${rest}\n${waitsForUser}`,
});
const toolset = (name: string, kind: string, settings = '{}'): File => ({
  path: `toolsets/${name}.yaml`,
  text: `type: toolset\nname: ${name}\nkind: ${kind}\nsettings: ${settings}\n`,
});
const shell = (name: string): File => toolset(name, 'shell', '{ sandbox: false }');
const touch = (tool: string): ScriptedReply => ({ toolCalls: [{ name: tool, args: { command: 'touch ran' } }] });

/** Settings of a server that has these tools; `ledger` in the folder says what it was asked to do. */
function serverOf(folder: string, tools: readonly string[]): JsonObject {
  const script = path.join(folder, 'script.json');
  const definitions = tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
  writeFileSync(script, JSON.stringify({ tools: definitions, ledger: path.join(folder, 'ledger') }));
  const server = path.join(import.meta.dirname, '../toolsets/mcp/scripted-server.ts');
  return { command: process.execPath, args: [server, script], sandbox: false };
}

async function running(files: readonly File[], replies: readonly ScriptedReply[]) {
  const workspace = await temporaryFolder();
  const store = createMemoryJournal();
  const engine: Engine = await createEngine({
    profiles: { files },
    models: { m: scriptedModel([...replies, { text: 'done' }]) },
    store,
    workspace: () => workspace,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile: 'A', input: 'Go.' });
  await run.settled();
  const [call] = run.turns()[0]?.toolInteractions ?? [];
  return { run, call, ran: existsSync(path.join(workspace, 'ran')), warnings: engine.profiles.warnings };
}

describe('F61: a gate covers tools under every name they have', () => {
  it.each([
    ['the kind of a toolset that has a name of its own', 'toolsets: [shell]'],
    ['the toolset', 'toolsets: [builder_shell]'],
    ['a tool by its plain name', 'tools: [run_command]'],
    ['a tool by the name agents call it', 'tools: [builder_shell_run_command]'],
  ])('denies by %s', async (_, what) => {
    const gates = `tool_gates: [{ id: no, ${what}, verdict: deny }]`;
    const { call, ran, warnings } = await running([profile(gates), shell('builder_shell')], [touch('builder_shell_run_command')]);
    expect(call).toMatchObject({ status: 'denied', error: { code: 'TOOL_DENIED' } });
    expect([ran, warnings]).toEqual([false, []]);
  });

  it.each([
    ['alone', '[shell_run_command]'],
    ['beside a name that means another tool of the profile', '[builder_shell_list_commands, shell_run_command]'],
  ])('F23: denies by the kind in front of the plain name, %s', async (_, tools) => {
    const gates = `tool_gates: [{ id: no, tools: ${tools}, verdict: deny }]`;
    const { call, ran, warnings } = await running([profile(gates), shell('builder_shell')], [touch('builder_shell_run_command')]);
    expect(call).toMatchObject({ status: 'denied', error: { code: 'TOOL_DENIED' } });
    expect([ran, warnings]).toEqual([false, []]);
  });

  it.each([
    ['the kind', 'toolsets: [mcp]'],
    ['a tool of the kind', 'tools: [mcp_delete]'],
    ['a tool of the server', 'tools: [notes_delete]'],
  ])('F23: denies a call of a server under another name by %s, also when code declares the server', async (_, what) => {
    const gates = `tool_gates: [{ id: no, ${what}, verdict: deny }]`;
    for (const declared of ['in a file', 'in code']) {
      const folder = await temporaryFolder();
      const settings = serverOf(folder, ['delete', 'read']);
      const engine = await createEngine({
        profiles: {
          files: [profile(gates, 'notes'), ...(declared === 'in code' ? [] : [toolset('notes', 'mcp', JSON.stringify(settings))])],
        },
        ...(declared === 'in code' ? { toolsets: { notes: { kind: 'mcp', settings } } } : {}),
        models: { m: scriptedModel([{ toolCalls: [{ name: 'notes_delete', args: {} }] }, { text: 'done' }]) },
        store: 'memory',
      });
      onTestFinished(async () => await engine.close());
      const run = await engine.launch({ profile: 'A', input: 'Go.' });
      await run.settled();
      expect(run.turns()[0]?.toolInteractions).toMatchObject([{ name: 'notes_delete', status: 'denied' }]);
      expect(engine.profiles.warnings).toEqual([]);
      expect(await readFile(path.join(folder, 'ledger'), 'utf8')).toBe('start\n');
    }
  });

  it('F23: a call that waits by the kind of its toolset waits for the same gate in another process, and runs once it is approved', async () => {
    const workspace = await temporaryFolder();
    const store = createMemoryJournal();
    const gates = 'tool_gates: [{ id: look, toolsets: [shell], verdict: ask }]';
    const open = async (): Promise<Engine> => {
      const engine = await createEngine({
        profiles: { files: [profile(gates), shell('builder_shell')] },
        models: { m: scriptedModel([touch('builder_shell_run_command'), { text: 'done' }]) },
        store,
        workspace: () => workspace,
      });
      onTestFinished(async () => await engine.close());
      return engine;
    };
    const first = await open();
    const run = await first.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    const asked = run.pending;
    expect(asked).toMatchObject([{ tool: 'builder_shell_run_command', gate: { id: 'look' } }]);
    await first.close();
    const later = await (await open()).resume(run.id);
    await later.settled();
    expect(later.pending).toEqual(asked);
    expect(existsSync(path.join(workspace, 'ran'))).toBe(false);
    await later.approve(asked[0]?.id ?? '');
    await later.settled();
    expect(existsSync(path.join(workspace, 'ran'))).toBe(true);
  });

  it('denies a tool of a toolset that is named like its kind, also with that name in front', async () => {
    const gates = 'tool_gates: [{ id: no, tools: [shell_run_command], verdict: deny }]';
    const { call, ran } = await running([profile(gates, 'shell'), shell('shell')], [touch('run_command')]);
    expect(call).toMatchObject({ status: 'denied' });
    expect(ran).toBe(false);
  });

  it('a name that is a tool of its own means that tool alone', async () => {
    const gates = 'tool_gates: [{ id: no, tools: [run_command], verdict: deny }, { id: yes, verdict: allow }]';
    const both = [profile(gates, 'shell, builder_shell'), shell('shell'), shell('builder_shell')];
    expect((await running(both, [touch('run_command')])).call).toMatchObject({ status: 'denied' });
    expect((await running(both, [touch('builder_shell_run_command')])).call).toMatchObject({ status: 'ok' });
  });

  it('a tool that a server outside has named takes no other tool out of its gate', async () => {
    for (const trust of ['trusted', 'untrusted']) {
      const ran: string[] = [];
      const team = await testEngine({
        profile: `tool_access_policy: { allowed_toolsets: [mine, run] }\ntool_gates: [{ id: no, tools: [run_command], verdict: deny }]${waitsForUser}`,
        tools: [
          tool('mine_run_command', () => ran.push('mine'), { toolset: 'mine' }),
          tool('run_command', () => ran.push('of the server'), { toolset: 'run', description_trust: trust }),
        ],
        replies: [{ toolCalls: ['mine_run_command', 'run_command'].map((name) => ({ name, args: {} })) }, { text: 'Done.' }],
      });
      await (await team.launch()).settled();
      expect(ran).toEqual(trust === 'trusted' ? ['mine'] : []);
    }
  });

  it.each([
    ['the kind', 'toolsets: [shell]', ['shell', 'builder_shell']],
    ['a plain name that two have', 'tools: [run_command]', ['root_shell', 'builder_shell']],
    ['a tool of the kind that two have', 'tools: [shell_run_command]', ['root_shell', 'builder_shell']],
  ])('what lets calls run takes no name for more than it surely means: %s', async (_, what, names) => {
    const gates = `tool_gates: [{ id: yes, ${what}, verdict: allow }]`;
    const { run, ran } = await running(
      [profile(gates, names.join(', ')), ...names.map(shell)],
      [touch('builder_shell_run_command')],
    );
    expect(run.pending).toMatchObject([{ tool: 'builder_shell_run_command', gate: { id: 'needs_approval' } }]);
    expect(ran).toBe(false);
  });

  it('filters of observers mean tools as gates do', async () => {
    const filtered = async (only: string): Promise<readonly string[] | undefined> => {
      const observers = `pre_turn_observers: [{ id: f, action: { type: filter_tools, ${only} } }]`;
      const { run } = await running([profile(observers), shell('builder_shell')], []);
      return run.turns()[0]?.tools;
    };
    expect(await filtered('except: [shell]')).toEqual([]);
    expect(await filtered('except: [run_command]')).not.toContain('builder_shell_run_command');
    expect(await filtered('only: [run_command]')).toEqual(['builder_shell_run_command']);
  });
});

describe('F61: what means no tool of its profile is said when profiles are loaded', () => {
  const warningsOf = async (files: readonly File[]): Promise<readonly string[]> => {
    const toolsetTools = new Map([['code', { tools: ['code_pay'] }]]);
    const known = { toolsetKinds: await knownToolsetKinds(files), tools: new Set(['code_pay']), toolsets: new Set(['code']) };
    const config = { path: 'llm_configs/m.yaml', text: 'name: m\ntype: llm_config\nconfig: { provider: openai, model: x }\n' };
    const { warnings } = await loadProfiles({ files: [config, ...files] }, { known: { ...known, toolsetTools } });
    return warnings.map(({ code, message, source, hint }) => `${source.file}:${source.line} ${code} ${message} (${hint ?? ''})`);
  };

  it.each([
    [
      'a gate for a tool of a kind it does not have',
      'tool_gates: [{ id: no, tools: [run_python], verdict: deny }]',
      /gate `no` matches no tool that `A` may call/,
    ],
    [
      'a gate for another toolset',
      'tool_gates: [{ id: no, toolsets: [browser], verdict: deny }]',
      /gate `no` .*what it may call: builder_shell/,
    ],
    [
      'a filter',
      'pre_turn_observers: [{ id: f, action: { type: filter_tools, except: [run_python] } }]',
      /`except` of filter_tools matches no tool/,
    ],
    [
      'a tool choice that has another name',
      'tool_choice: run_command',
      /tool choice `run_command` .*did you mean `builder_shell_run_command`/,
    ],
  ])('%s', async (_, rest, message) => {
    expect(await warningsOf([profile(rest), shell('builder_shell')])).toEqual([expect.stringMatching(message)]);
  });

  it('a server is known by its name and its kind before it is connected; a name it cannot have is an error', async () => {
    const server = toolset('notes', 'mcp', '{ command: node }');
    const gated = (what: string) => profile(`tool_gates: [{ id: no, ${what}, verdict: deny }]`, 'notes');
    expect(await warningsOf([gated('toolsets: [mcp]'), server])).toEqual([]);
    expect(await warningsOf([gated('tools: [notes_delete]'), server])).toEqual([]);
    expect(await warningsOf([gated('tools: [mcp_delete]'), server])).toEqual([]);
    expect(await warningsOf([gated('tools: [run_command]'), server])).toEqual([expect.stringMatching(/gate `no` matches no tool/)]);
    await expect(warningsOf([gated('tools: [delete]'), server])).rejects.toThrow(
      /there is no tool `delete` \(.*tools that are known once their server is connected have names that begin with `notes_`\)/,
    );
    await expect(warningsOf([profile('tool_gates: [{ id: no, tools: [mcp_delete], verdict: deny }]')])).rejects.toThrow(
      /there is no tool `mcp_delete`/,
    );
    await expect(warningsOf([gated('tools: [note_delete]'), server])).rejects.toThrow(/there is no tool `note_delete`/);
  });

  it('a gate that names a tool which a connected server does not have is a warning of the run, also when the server renames its tools', async () => {
    const host = Promise.withResolvers<ToolsetHost>();
    const deletes = (name: string) => tool(name, () => 'deleted', { toolset: 'notes' });
    const team = await testEngine({
      profile: `tool_access_policy: { allowed_toolsets: [notes] }\ntool_gates: [{ id: no, tools: [notes_delete], verdict: deny }]\n${waitsForUser}`,
      toolsets: {
        notes: () => ({
          tools: [],
          connect: (to) => {
            to.setTools([deletes('notes_delete')]);
            to.setHealth({ status: 'ready' });
            host.resolve(to);
          },
        }),
      },
      replies: [{ text: 'one' }],
    });
    onTestFinished(async () => await team.engine.close());
    const run = await team.launch();
    await run.settled();
    const notes = async (): Promise<readonly string[]> =>
      (await team.journal.read(run.id)).flatMap((event) =>
        event.type === 'note.add' && event.code === 'MEANS_NO_TOOL' ? [event.message] : [],
      );
    expect(await notes()).toEqual([]);
    (await host.promise).setTools([deletes('notes_remove')]);
    await run.settled();
    expect(await notes()).toEqual([
      expect.stringMatching(/gate 'no' of profile 'Root' names 'notes_delete'.*Its tools: notes_remove/),
    ]);
    const another = await team.launch();
    await another.settled();
    expect(JSON.stringify(await team.journal.read(another.id))).toContain('MEANS_NO_TOOL');
  });

  it('F23: a gate that names a tool of the kind mcp which no connected server has is a warning of the run', async () => {
    const notesOf = async (name: string): Promise<readonly string[]> => {
      const folder = await temporaryFolder();
      const gates = `tool_gates: [{ id: no, tools: [${name}], verdict: deny }]`;
      const store = createMemoryJournal();
      const engine = await createEngine({
        profiles: {
          files: [profile(gates, 'notes'), toolset('notes', 'mcp', JSON.stringify(serverOf(folder, ['delete', 'read'])))],
        },
        models: { m: scriptedModel([{ text: 'done' }]) },
        store,
      });
      onTestFinished(async () => await engine.close());
      const run = await engine.launch({ profile: 'A', input: 'Go.' });
      await run.settled();
      return (await store.read(run.id)).flatMap((event) => (event.type === 'note.add' ? [event.message] : []));
    };
    expect(await notesOf('mcp_delete')).toEqual([]);
    expect(await notesOf('mcp_remove')).toEqual([
      expect.stringMatching(/gate 'no' of profile 'A' names 'mcp_remove', and 'notes' has no such tool.*notes_delete, notes_read/),
    ]);
  });

  it('what several profiles inherit is fine when it means a tool of one of them; a base is not looked at', async () => {
    const base = {
      path: 'profiles/b.yaml',
      text: 'name: B\ntype: base\ntool_gates: [{ id: no, toolsets: [shell], verdict: deny }]\n',
    };
    const heir = (name: string, toolsets: string): File => ({
      path: `profiles/${name}.yaml`,
      text: `name: ${name}\nbase_profile: B\nllm_config_ref: m\ninstructions: x\ntool_access_policy: { allowed_toolsets: [${toolsets}] }\n`,
    });
    expect(await warningsOf([base, heir('One', 'shell'), heir('Two', 'python')])).toEqual([]);
    expect(await warningsOf([base, heir('Two', 'python')])).toEqual([expect.stringMatching(/^profiles\/b\.yaml:3 MEANS_NO_TOOL/)]);
    expect(await warningsOf([base])).toEqual([]);
  });
});
