import { existsSync } from 'node:fs';
import { chmod, link, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { rememberJournal, rememberProfiles } from '../../../src/files/guard/engine-places.ts';
import { editText, type TextEdit } from '../../../src/toolsets/workspace/edit-text.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';
import { openWorkspace } from './call-workspace.ts';

const content = async (folder: string, file: string): Promise<string> => await readFile(join(folder, file), 'utf8');

describe('write_file', () => {
  it('[A1.8.file-system] [A2.3.sandbox-files] creates and replaces whole files with the folders they need, and shows the difference', async () => {
    const folder = await makeFolder();
    const { text } = openWorkspace(folder);
    expect(await text('write_file', { path: 'a/b.txt', content: 'one\ntwo\n' })).toBe('Created a/b.txt (8 bytes).');
    expect(await text('write_file', { path: 'a/b.txt', content: 'one\n2\n' })).toBe(
      'Replaced a/b.txt (6 bytes).\n--- a/a/b.txt\n+++ b/a/b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2',
    );
    expect(await content(folder, 'a/b.txt')).toBe('one\n2\n');
    await putFile(folder, 'bin', new Uint8Array([0, 1]));
    expect(await text('write_file', { path: 'bin', content: 'x' })).toContain('before: 2 bytes, not text');
    expect((await readdir(folder)).toSorted()).toEqual(['.cadre', 'a', 'bin']);
  });

  it('shows what it can of the difference between long texts, soon', async () => {
    const { text } = openWorkspace(await makeFolder());
    const lines = (seed: number): string => Array.from({ length: 40_000 }, (_, at) => `${(at * seed) % 9973}`).join('\n');
    await text('write_file', { path: 'a.txt', content: lines(7) });
    expect((await text('write_file', { path: 'a.txt', content: lines(13) })).length).toBeLessThan(17_000);
  });

  it('changes neither the profiles its engine goes by nor its journal, whatever they are called', async () => {
    const folder = await makeFolder({ 'mine.txt': 'mine', 'team/profiles/a.yaml': 'old', 'log/runs.db': 'old' });
    rememberProfiles(join(folder, 'team'));
    rememberJournal(join(folder, 'log', 'runs.db'));
    const { fails, text } = openWorkspace(folder);
    for (const path of ['team/profiles/a.yaml', 'team/new.yaml', 'log/runs.db', 'log/runs.db-wal'])
      expect((await fails('write_file', { path, content: 'x' })).code).toBe('PATH_REFUSED');
    for (const from of ['team', 'log', 'team/profiles/a.yaml'])
      expect((await fails('move_file', { from, to: 'y' })).code).toBe('PATH_REFUSED');
    expect((await fails('read_file', { path: 'log/runs.db' })).code).toBe('PATH_REFUSED');
    expect(await text('read_file', { path: 'team/profiles/a.yaml' })).toContain('old');
    expect((await fails('write_file', { path: 'team/new.yaml', content: 'x' })).message).toContain('profiles of the team');
    await putFile(folder, 'team/.cadre/workspaces/run_1/a.txt', 'old');
    const hidden = openWorkspace(join(folder, 'team/.cadre/workspaces/run_1'));
    expect(await hidden.text('write_file', { path: 'a.txt', content: 'x' })).toContain('Replaced');
    const author = openWorkspace(folder, { protected: [] });
    expect(await author.text('write_file', { path: 'team/new.yaml', content: 'x' })).toContain('Created');
  });

  it('writes nothing to where people decide for runs, in a workspace that holds the journal', async () => {
    const folder = await makeFolder();
    await putFile(folder, 'log/a.txt', 'approve');
    rememberJournal(join(folder, 'log', 'journal.db'));
    for (const [root, mail] of [
      [folder, 'log/mail'],
      [join(folder, 'log'), 'mail'],
    ] as const) {
      const { fails } = openWorkspace(root);
      const letter = `${mail}/run_1/1.json`;
      expect((await fails('write_file', { path: letter, content: '{"kind":"approve"}' })).code).toBe('PATH_REFUSED');
      const note = mail.replace('mail', 'runs/run_abc.json');
      expect((await fails('write_file', { path: note, content: '{"out":"/"}' })).code).toBe('PATH_REFUSED');
      const from = root === folder ? 'log/a.txt' : 'a.txt';
      expect((await fails('move_file', { from, to: letter })).code).toBe('PATH_REFUSED');
    }
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/hooks/pre-push',
    '.GIT/Config',
    '.env',
    '.env.production',
    'deep/.env',
    '.npmrc',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.claude/settings.json',
    '.mcp.json',
    '.bashrc',
    '.profile',
    '.bash_profile',
    'agent_profiles/profiles/x.yaml',
    '.cadre/journal.db',
    '.cadre/edits/r1/c1.json',
  ])('refuses to change %s, and so do all other tools', async (path) => {
    const folder = await makeFolder({ [path]: 'old', 'mine.txt': 'mine' });
    const { fails } = openWorkspace(folder);
    for (const [tool, args] of [
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, command: 'insert', insert_line: 0, new_str: 'x' }],
      ['edit_file', { path, command: 'undo' }],
      ['move_file', { from: path, to: 'y' }],
      ['move_file', { from: 'mine.txt', to: path }],
      ['delete_file', { path }],
    ] as const) {
      const error = await fails(tool, args);
      expect([error.code, error.message]).toEqual(['PATH_REFUSED', expect.stringContaining('protected')]);
    }
    expect(await content(folder, path)).toBe('old');
  });

  it('goes by the list of the settings in place of the usual one, and by read_only', async () => {
    const folder = await makeFolder();
    const { text, fails } = openWorkspace(folder, { protected: ['locked/**', '*.lock'], unreadable: [] });
    expect(await text('write_file', { path: '.env', content: 'A=1' })).toContain('Created');
    for (const path of ['locked/a', 'x/y.lock', '.cadre/x'])
      expect((await fails('write_file', { path, content: '' })).code).toBe('PATH_REFUSED');
    expect(openWorkspace(folder, { read_only: true }).tools.map(({ name }) => name)).toEqual([
      'list_files',
      'read_file',
      'search_files',
    ]);
  });
});

describe('[A5.edit-file] edit_file', () => {
  it('[A2.3.editor] [B.89] replaces a text that stands in the file once, and tells the lines when there are more', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n  two\nthree\ntwo\n' });
    const { text, fails } = openWorkspace(folder);
    const edit = { path: 'a.txt', command: 'str_replace' };
    expect((await fails('edit_file', { ...edit, old_str: 'two', new_str: '2' })).message).toContain(
      '2 times, beginning on lines 2, 4',
    );
    expect((await fails('edit_file', { ...edit, old_str: 'two\nthree\nfour', new_str: '' })).message).toContain(
      'is line 2; compare spaces',
    );
    expect((await fails('edit_file', { ...edit, old_str: '', new_str: 'x' })).message).toContain('empty');
    expect((await fails('edit_file', { ...edit })).message).toContain('needs old_str');
    expect(await text('edit_file', { ...edit, old_str: '  two', new_str: '2' })).toBe(
      'Edited a.txt.\n--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n one\n-  two\n+2\n three\n two',
    );
    expect(await text('edit_file', { ...edit, old_str: 'three\n' })).toContain('-three');
    expect(await content(folder, 'a.txt')).toBe('one\n2\ntwo\n');
    expect(await text('edit_file', { ...edit, old_str: 'one', new_str: 'one' })).toContain('changes nothing');
  });

  it('[A2.3.editor] creates only what is not there', async () => {
    const folder = await makeFolder({ 'a.txt': 'mine' });
    const { text, fails } = openWorkspace(folder);
    expect((await fails('edit_file', { path: 'a.txt', command: 'create', file_text: 'x' })).message).toContain('exists already');
    expect(await text('edit_file', { path: 'b/c.txt', command: 'create', file_text: 'x' })).toContain('Created b/c.txt');
    expect(await content(folder, 'a.txt')).toBe('mine');
  });

  const three = 'one\ntwo\nthree\n';
  it.each<readonly [string, string, TextEdit, string]>([
    ['insert at the start', three, { command: 'insert', line: 0, text: 'zero' }, 'zero\none\ntwo\nthree\n'],
    ['insert in the middle', three, { command: 'insert', line: 1, text: 'a\nb\n' }, 'one\na\nb\ntwo\nthree\n'],
    ['insert at the end', three, { command: 'insert', line: -1, text: 'four' }, 'one\ntwo\nthree\nfour\n'],
    ['insert an empty line', three, { command: 'insert', line: 3, text: '' }, 'one\ntwo\nthree\n\n'],
    ['insert into an empty file', '', { command: 'insert', line: 0, text: 'x' }, 'x\n'],
    ['insert after an open end', 'one', { command: 'insert', line: -1, text: 'two' }, 'one\ntwo\n'],
    ['insert before an open end', 'one', { command: 'insert', line: 0, text: 'zero' }, 'zero\none'],
    ['replace lines', three, { command: 'replace_lines', from: 1, to: 2, text: 'X' }, 'X\nthree\n'],
    ['remove lines', three, { command: 'remove_lines', from: 2, to: 3 }, 'one\n'],
    ['remove all', three, { command: 'remove_lines', from: 1, to: 3 }, ''],
    ['keep CRLF', 'a\r\nb\r\n', { command: 'insert', line: 1, text: 'x\ny' }, 'a\r\nx\r\ny\r\nb\r\n'],
    ['keep CRLF at an open end', 'a\r\nb', { command: 'insert', line: -1, text: 'x' }, 'a\r\nb\r\nx\r\n'],
    ['keep CRLF before an open end', 'a\r\nb', { command: 'insert', line: 1, text: 'x' }, 'a\r\nx\r\nb'],
    ['find over CRLF', 'a\r\nb\r\nc', { command: 'str_replace', oldStr: 'a\nb', newStr: 'x\ny' }, 'x\r\ny\r\nc'],
    ['keep the byte order mark', '\uFEFFa\n', { command: 'insert', line: 0, text: 'x' }, '\uFEFFx\na\n'],
  ])('edits lines: %s', (_, before, edit, after) => {
    expect(editText(before, edit)).toBe(after);
  });

  it.each<readonly [TextEdit, string]>([
    [{ command: 'insert', line: 4, text: '' }, '0 (start) to 3'],
    [{ command: 'insert', line: -2, text: '' }, '0 (start) to 3'],
    [{ command: 'replace_lines', from: 2, to: 4, text: '' }, 'lines 1 to 3'],
    [{ command: 'remove_lines', from: 3, to: 2 }, 'lines 1 to 3'],
  ])('names the lines there are: %j', (edit, message) => {
    expect(() => editText(three, edit)).toThrow(message);
  });

  it('edits no binary files, folders or files that are not there', async () => {
    const { fails } = openWorkspace(await makeFolder({ bin: new Uint8Array([0]), 'folder/a.txt': '' }));
    const edit = { command: 'insert', insert_line: 0, new_str: 'x' };
    expect((await fails('edit_file', { path: 'bin', ...edit })).message).toContain('not UTF-8');
    expect((await fails('edit_file', { path: 'folder', ...edit })).message).toContain('is a folder');
    expect((await fails('edit_file', { path: 'folder/b.txt', ...edit })).message).toContain('Did you mean "folder/a.txt"');
  });

  it('[A2.3.editor] [B.89] takes back change after change, also those of write_file and delete_file and in a new process', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n' });
    const before = openWorkspace(folder);
    await before.text('edit_file', { path: 'a.txt', command: 'insert', insert_line: -1, new_str: 'two' }, 'c1');
    await before.text('write_file', { path: 'a.txt', content: 'three\n' }, 'c2');
    await before.text('write_file', { path: 'b.txt', content: 'new\n' }, 'c3');
    await before.text('delete_file', { path: 'a.txt' }, 'c4');
    const { text, fails } = openWorkspace(folder);
    const undo = async (id: string): Promise<string> => await text('edit_file', { path: 'a.txt', command: 'undo' }, id);
    expect(await undo('c5')).toContain('+three');
    expect(await content(folder, 'a.txt')).toBe('three\n');
    await undo('c6');
    expect(await content(folder, 'a.txt')).toBe('one\ntwo\n');
    await undo('c7');
    expect(await content(folder, 'a.txt')).toBe('one\n');
    expect((await fails('edit_file', { path: 'a.txt', command: 'undo' }, 'c8')).message).toContain('no change');
    expect(await text('edit_file', { path: 'b.txt', command: 'undo' }, 'c9')).toContain('-new');
    expect((await readdir(folder)).toSorted()).toEqual(['.cadre', 'a.txt']);
  });

  it('takes nothing back when somebody else changed the file since, and knows no changes of other runs', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n' });
    const { text, fails } = openWorkspace(folder);
    await text('write_file', { path: 'a.txt', content: 'two\n' }, 'c1');
    expect((await openWorkspace(folder, {}, 'other').fails('edit_file', { path: 'a.txt', command: 'undo' })).message).toContain(
      'no change',
    );
    await putFile(folder, 'a.txt', 'by hand\n');
    expect((await fails('edit_file', { path: 'a.txt', command: 'undo' }, 'c2')).message).toContain('would lose it');
    expect(await content(folder, 'a.txt')).toBe('by hand\n');
  });

  it('loses no edit of two agents that work on one file at once', async () => {
    const folder = await makeFolder({ 'a.txt': '' });
    const { text } = openWorkspace(folder);
    await Promise.all(
      Array.from(
        { length: 30 },
        async (_, n) => await text('edit_file', { path: 'a.txt', command: 'insert', insert_line: -1, new_str: `line ${n}` }),
      ),
    );
    expect((await content(folder, 'a.txt')).split('\n').length).toBe(31);
  });
});

describe('a call that is run again after a crash', () => {
  it('does not change the file twice, and answers as it did', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n' });
    const insert = { path: 'a.txt', command: 'insert', insert_line: 0, new_str: 'x' };
    const first = await openWorkspace(folder).text('edit_file', insert, 'c1');
    expect(await openWorkspace(folder).text('edit_file', insert, 'c1')).toBe(first);
    expect(await content(folder, 'a.txt')).toBe('x\none\n');
  });

  it('runs when it had only written down what it was about to do, and refuses when the file is neither before nor after', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n' });
    const insert = { path: 'a.txt', command: 'insert', insert_line: 0, new_str: 'x' };
    const { text, fails } = openWorkspace(folder);
    await text('edit_file', insert, 'c1');
    await putFile(folder, 'a.txt', 'one\n');
    await text('edit_file', insert, 'c1');
    expect(await content(folder, 'a.txt')).toBe('x\none\n');
    await putFile(folder, 'a.txt', 'something else\n');
    expect((await fails('edit_file', insert, 'c1')).message).toContain('was interrupted before');
    expect(await content(folder, 'a.txt')).toBe('something else\n');
  });

  it('takes nothing back twice, deletes nothing twice, and moves nothing twice', async () => {
    const folder = await makeFolder({ 'a.txt': 'one\n' });
    const { text, fails } = openWorkspace(folder);
    await text('write_file', { path: 'a.txt', content: 'two\n' }, 'c1');
    await text('write_file', { path: 'a.txt', content: 'three\n' }, 'c2');
    for (let run = 0; run < 2; run += 1) await text('edit_file', { path: 'a.txt', command: 'undo' }, 'c3');
    expect(await content(folder, 'a.txt')).toBe('two\n');
    for (let run = 0; run < 2; run += 1)
      expect(await text('move_file', { from: 'a.txt', to: 'sub/b.txt' }, 'c4')).toBe('Moved a.txt to sub/b.txt.');
    for (let run = 0; run < 2; run += 1) expect(await text('delete_file', { path: 'sub/b.txt' }, 'c5')).toContain('Deleted');
    expect((await fails('delete_file', { path: 'sub/b.txt' }, 'c6')).message).toContain('does not exist');
    expect((await fails('move_file', { from: 'a.txt', to: 'c.txt' }, 'c7')).message).toContain('does not exist');
  });
});

describe('move_file and delete_file', () => {
  it('[A2.3.sandbox-files] move files and folders to free names, and delete files and empty folders', async () => {
    const folder = await makeFolder({ 'a.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' });
    const { text, fails } = openWorkspace(folder);
    expect((await fails('move_file', { from: 'a.txt', to: 'b.txt' })).message).toContain('exists already');
    expect((await fails('move_file', { from: 'dir', to: 'dir/below' })).message).toContain('into itself');
    await putFile(folder, 'repo/.git/hooks/x', 'hook');
    for (const [from, to] of [
      ['repo', 'r'],
      ['repo/.git', 'g'],
      ['dir', '.vscode'],
    ])
      expect((await fails('move_file', { from, to })).code).toBe('PATH_REFUSED');
    await text('move_file', { from: 'dir', to: 'new/dir' });
    expect(await content(folder, 'new/dir/c.txt')).toBe('c');
    expect((await fails('delete_file', { path: 'new' })).message).toContain('something in it');
    await text('delete_file', { path: 'new/dir/c.txt' });
    expect(await text('delete_file', { path: 'new/dir' })).toContain('empty folder');
    expect((await fails('delete_file', { path: '.' })).code).toBe('PATH_REFUSED');
  });

  it('move a folder with what was looked at in it, whatever is written meanwhile', async () => {
    const files = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`x/many/${at}.txt`, 'x']));
    const folder = await makeFolder(files);
    const { call } = openWorkspace(folder);
    const tried = async (name: string, args: JsonObject): Promise<unknown> => await call(name, args).catch(() => undefined);
    for (let turn = 0; turn < 24; turn += 1) {
      const moved = tried('move_file', { from: 'x', to: '.cargo' });
      await setTimeout(turn);
      await tried('write_file', { path: 'x/config.toml', content: '[build]' });
      await moved;
      expect(existsSync(join(folder, '.cargo', 'config.toml'))).toBe(false);
      await tried('delete_file', { path: 'x/config.toml' });
      await tried('delete_file', { path: 'x' });
      await tried('move_file', { from: '.cargo', to: 'x' });
    }
  });

  it('keep rights, and leave alone what is hard-linked from elsewhere', async () => {
    const folder = await makeFolder({ 'a.sh': 'one\n' });
    await chmod(join(folder, 'a.sh'), 0o755);
    await link(join(folder, 'a.sh'), join(folder, 'b.sh'));
    const { text } = openWorkspace(folder);
    await text('edit_file', { path: 'a.sh', command: 'insert', insert_line: 0, new_str: '#!/bin/sh' });
    expect((await stat(join(folder, 'a.sh'))).mode & 0o777).toBe(0o755);
    expect(await content(folder, 'b.sh')).toBe('one\n');
  });
});
