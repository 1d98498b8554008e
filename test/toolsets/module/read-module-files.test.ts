import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readModuleFiles } from '../../../src/toolsets/module/read-module-files.ts';

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'cadre-code-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

describe('F25: the code of a toolset', () => {
  it('is the file, found from the folder of the one that names it upwards, and what it imports from beside it', async () => {
    const root = await folder({
      'team/tools/a.ts': "import { b } from './lib/b.ts'; export * from './c.mjs'; await import(`./d.js`);",
      'team/tools/lib/b.ts': "import data from '../data.json' with { type: 'json' }; import '../a.ts';",
      'team/tools/data.json': '{}',
      'team/tools/c.mjs': "import '../../outside.ts'; import './missing.ts'; const text = './.env';",
      'team/tools/d.js': '',
      'team/tools/unused.ts': '',
      'outside.ts': '',
    });
    const read = await readModuleFiles({ root: path.join(root, 'team'), from: 'toolsets', path: './tools/a.ts' });
    const paths = 'files' in read ? read.files.map((file) => file.path).toSorted() : read.reason;
    expect(paths).toEqual(['tools/a.ts', 'tools/c.mjs', 'tools/d.js', 'tools/data.json', 'tools/lib/b.ts']);
  });

  it('is refused outside the folder, behind a link, in files that hold secrets and in files that are no code', async () => {
    const root = await folder({ 'team/tools/a.ts': "import './link.ts';", 'evil.ts': 'throw 1', 'team/.env': 'KEY=1' });
    const team = path.join(root, 'team');
    await symlink(path.join(root, 'evil.ts'), path.join(team, 'tools', 'link.ts'));
    await symlink(root, path.join(team, 'up'));
    const read = (asked: string): ReturnType<typeof readModuleFiles> => readModuleFiles({ root: team, from: '.', path: asked });
    for (const asked of [
      '../evil.ts',
      '../../evil.ts',
      'tools/link.ts',
      'up/evil.ts',
      '.env',
      '.ssh/a.ts',
      'tools',
      'tools/none.ts',
      'team.yaml',
    ])
      expect(await read(asked), asked).toEqual({ reason: expect.any(String) });
    const linked = await read('tools/a.ts');
    expect('files' in linked && linked.files.map((file) => file.path)).toEqual(['tools/a.ts']);
  });
});
