import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { FileChange } from '../../src/core/tool/file-change.ts';
import { workspaceToolset } from '../../src/toolsets/workspace/workspace-toolset.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

let workspace = '';
beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'cadre-preview-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(workspace, name), text);

/** Returns what a waiting call of a file tool would do, as its card says. */
async function changeBy(name: string, args: JsonObject, more = ''): Promise<FileChange | undefined> {
  const { launch } = await testEngine({
    profile: `${waitsForUser}stagnation: off
tool_access_policy: { allowed_toolsets: [workspace] }
tool_gates: [{ id: files, toolsets: [workspace], verdict: ask }]`,
    files: more === '' ? [] : [{ path: 'toolsets/files.yaml', text: more }],
    workspace,
    replies: [{ toolCalls: [{ name, args }] }],
  });
  const run = await launch();
  await run.settled();
  const [card] = await run.cards();
  return card?.changes[0];
}

const shown = (change: FileChange | undefined): readonly string[] | undefined =>
  change?.lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '@', note: '\\' }[kind]}${text}`);

describe('what a call would do to files', () => {
  it('is the difference to the file as it is now, and nothing is written', async () => {
    write('a.txt', Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n'));
    const change = await changeBy('edit_file', {
      command: 'str_replace',
      path: 'a.txt',
      old_str: 'line 9',
      new_str: 'LINE 9\nmore',
    });
    expect(change).toMatchObject({ path: 'a.txt', kind: 'edit' });
    expect(shown(change)).toEqual([
      '@6',
      ' line 6',
      ' line 7',
      ' line 8',
      '-line 9',
      '+LINE 9',
      '+more',
      ' line 10',
      ' line 11',
      ' line 12',
      '@7',
    ]);
    expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toContain('line 9');
  });

  it('is told for whole files, new ones, deleted and moved ones, and for one that stays as it is', async () => {
    write('a.txt', 'one\ntwo\n');
    expect(shown(await changeBy('write_file', { path: 'a.txt', content: 'one\nTWO\n' }))).toEqual([' one', '-two', '+TWO']);
    expect(await changeBy('write_file', { path: 'b/new.txt', content: 'x\n' })).toMatchObject({
      kind: 'create',
      path: 'b/new.txt',
    });
    expect(await changeBy('edit_file', { command: 'create', path: 'c.txt', file_text: 'x' })).toMatchObject({ kind: 'create' });
    expect(shown(await changeBy('delete_file', { path: 'a.txt' }))).toEqual(['-one', '-two']);
    expect(await changeBy('move_file', { from: 'a.txt', to: 'd.txt' })).toMatchObject({ kind: 'move', to: 'd.txt' });
    expect(await changeBy('write_file', { path: 'a.txt', content: 'one\ntwo\n' })).toMatchObject({ kind: 'unchanged' });
  });

  it('is all of it, also for a file of a megabyte that shares no line', async () => {
    write('a.txt', 'old line\n'.repeat(60_000));
    const change = await changeBy('write_file', { path: 'a.txt', content: `${'new line\n'.repeat(60_000)}last\n` });
    expect(change?.lines.filter(({ kind }) => kind === 'added')).toHaveLength(60_001);
    expect(change?.lines.filter(({ kind }) => kind === 'removed')).toHaveLength(60_000);
  });

  it('says why a call would fail now: the text is gone, the file is there, missing or protected', async () => {
    write('a.txt', 'one\n');
    write('.env', 'KEY=hunter2\n');
    const problem = async (name: string, args: JsonObject): Promise<string | undefined> => (await changeBy(name, args))?.problem;
    expect(await problem('edit_file', { command: 'str_replace', path: 'a.txt', old_str: 'two', new_str: 'x' })).toContain(
      'is not in the file',
    );
    expect(await problem('edit_file', { command: 'create', path: 'a.txt', file_text: 'x' })).toContain('exists already');
    expect(await problem('delete_file', { path: 'missing.txt' })).toContain('does not exist');
    expect(await problem('write_file', { path: '../outside.txt', content: 'x' })).toContain('would fail');
    const secret = await changeBy('write_file', { path: '.env', content: 'KEY=other\n' });
    expect(secret?.problem).toContain('protected');
    expect(JSON.stringify(secret)).not.toContain('hunter2');
  });

  it('is shown in a workspace that does not exist yet, and by a command that reads the journal', async () => {
    const call = { runId: 'r', since: 0, workspace: path.join(workspace, 'none'), filled: (text: string) => text };
    const preview = async (tool: string, args: JsonObject) =>
      await workspaceToolset.preview?.({ ...call, tool, args }, { settings: {} });
    expect(await preview('write_file', { path: 'a/b.txt', content: 'x\n' })).toEqual([
      { path: 'a/b.txt', kind: 'create', lines: [{ kind: 'added', text: 'x' }] },
    ]);
    for (const [tool, args] of [
      ['write_file', { path: '.env', content: 'x' }],
      ['write_file', { path: '../x', content: 'x' }],
      ['delete_file', { path: 'a.txt' }],
    ] as const)
      expect(await preview(tool, args)).toMatchObject([
        { kind: 'unchanged', problem: expect.stringContaining('would fail') as string },
      ]);
    expect(existsSync(path.join(workspace, 'none'))).toBe(false);
  });

  it('reads no file that the tool may not read: through a link, or by the settings of any toolset', async () => {
    mkdirSync(path.join(workspace, 'private'));
    write('private/key.txt', 'hidden text\n');
    symlinkSync(path.join(workspace, 'private', 'key.txt'), path.join(workspace, 'link.txt'));
    const settings = 'name: workspace\nkind: workspace\nsettings: { unreadable: [private/**] }\n';
    for (const target of ['private/key.txt', 'link.txt']) {
      const change = await changeBy('write_file', { path: target, content: 'x\n' }, settings);
      expect(change?.problem).toContain('would fail');
      expect(JSON.stringify(change)).not.toContain('hidden');
    }
  });
});
