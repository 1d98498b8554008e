import { describe, expect, it } from 'vitest';
import { knownToolsetKinds } from '../../src/engine/toolsets/known-toolset-kinds.ts';
import { explainToolset } from '../../src/profiles/explain-profile.ts';
import { checkProfiles } from '../../src/profiles/load-profiles.ts';
import type { ProfileFile } from '../../src/core/profile/profile.ts';

const team = (name: string, ...includes: readonly string[]): ProfileFile => ({
  path: `${name}/team.yaml`,
  text: `type: team\nname: ${name}\nincludes: [${includes.join(', ')}]\n`,
});
const toolset = (folder: string, text: string): ProfileFile => ({
  path: `${folder}/toolsets/web.yaml`,
  text: `type: toolset\nname: pages\n${text}`,
});

async function check(...files: readonly ProfileFile[]): Promise<Awaited<ReturnType<typeof checkProfiles>>> {
  return await checkProfiles({ files }, { known: async (all) => ({ toolsetKinds: await knownToolsetKinds(all) }), env: {} });
}

const base = toolset(
  'base',
  'kind: mcp\nsettings:\n  command: node\n  args: [a, b]\n  env: { ONE: "1", TWO: "2" }\n  tools: { read: { effect: pure }, write: { enabled: false } }\n',
);

describe('F25: settings of a toolset that a team includes', () => {
  it('are overridden key by key: maps deep, lists as a whole, null removes; each value keeps its place', async () => {
    const own = toolset('own', 'settings:\n  args: [c]\n  env: { TWO: null, THREE: "3" }\n  tools: { write: { enabled: true } }\n');
    const { set, diagnostics } = await check(base, team('base'), own, team('own', '../base'));
    expect(diagnostics).toEqual([]);
    const merged = set?.toolsets.get('pages');
    expect(merged?.kind).toBe('mcp');
    expect(merged?.settings).toEqual({
      command: 'node',
      args: ['c'],
      env: { ONE: '1', THREE: '3' },
      tools: { read: { effect: 'pure' }, write: { enabled: true } },
    });
    const from = Object.fromEntries(
      (merged === undefined ? [] : explainToolset(merged).values).map((each) => [each.path, each.from]),
    );
    expect(from).toMatchObject({
      kind: 'base/toolsets/web.yaml:3',
      'settings.command': 'base/toolsets/web.yaml:5',
      'settings.args[0]': 'own/toolsets/web.yaml:4',
      'settings.env.ONE': 'base/toolsets/web.yaml:7',
      'settings.env.THREE': 'own/toolsets/web.yaml:5',
    });
  });

  it('are the same when a run compiles the files that it recorded', async () => {
    const own = toolset('own', 'settings: { args: [c] }\n');
    const first = await check(base, team('base'), own, team('own', 'base'));
    const again = await check(...(first.set?.files ?? []));
    expect(again.set?.toolsets.get('pages')?.settings).toEqual(first.set?.toolsets.get('pages')?.settings);
  });

  it('a mistake in the change is reported at its own place, one in the base at that', async () => {
    const own = toolset('own', 'settings: { argz: [c], command: null }\n');
    const { diagnostics } = await check(base, team('base'), own, team('own', '../base'));
    expect(diagnostics.map(({ source, message }) => `${source.file}:${source.line} ${message}`)).toContainEqual(
      expect.stringMatching(/^own\/toolsets\/web\.yaml:3 .*argz/),
    );
  });

  it('another kind is an error that names both places', async () => {
    const own = toolset('own', 'kind: web\n');
    const { set, diagnostics } = await check(base, team('base'), own, team('own', '../base'));
    expect(set).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { code: 'NOT_ALLOWED', source: { file: 'own/toolsets/web.yaml', line: 3 }, hint: expect.stringContaining('leave kind out') },
    ]);
    expect(diagnostics[0]?.message).toContain('base/toolsets/web.yaml:1');
  });

  it('what removes nothing is an error', async () => {
    const own = toolset('own', 'settings: { cwd: null }\n');
    const { diagnostics } = await check(base, team('base'), own, team('own', '../base'));
    expect(diagnostics).toMatchObject([{ code: 'NOTHING_TO_REMOVE', source: { file: 'own/toolsets/web.yaml', line: 3 } }]);
  });

  it('a chain of teams is merged from the innermost one outwards', async () => {
    const middle = toolset('middle', 'settings: { args: [m], env: { ONE: m } }\n');
    const own = toolset('own', 'settings: { args: [o] }\n');
    const files = [base, team('base'), middle, team('middle', '../base'), own, team('own', '../middle')];
    const { set } = await check(...files);
    expect(set?.toolsets.get('pages')?.settings).toMatchObject({ args: ['o'], env: { ONE: 'm', TWO: '2' } });
  });
});

describe('F25: teams that are included together', () => {
  const one = toolset('one', 'kind: mcp\nsettings: { command: one, args: [x] }\n');
  const two = toolset('two', 'kind: mcp\nsettings: { command: two }\n');

  it('and disagree about a toolset are an error that says how to settle it', async () => {
    const { set, diagnostics } = await check(one, team('one'), two, team('two'), team('own', '../one', '../two'));
    expect(set).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: 'DUPLICATE_NAME', source: { file: 'two/toolsets/web.yaml' } }]);
    expect(diagnostics[0]?.message).toMatch(/`one` and `two`.*one\/toolsets\/web\.yaml:1/);
    expect(diagnostics[0]?.hint).toContain('declare `pages` in the team `own`');
  });

  it('are resolved by the toolset the team declares, which applies alone', async () => {
    const own = toolset('own', 'kind: mcp\nsettings: { command: mine }\n');
    const { set, diagnostics } = await check(one, team('one'), two, team('two'), own, team('own', '../one', '../two'));
    expect(diagnostics).toEqual([]);
    expect(set?.toolsets.get('pages')?.settings).toEqual({ command: 'mine' });
  });

  it('and agree are no error', async () => {
    const same = toolset('two', 'kind: mcp\nsettings: { command: one, args: [x] }\n');
    const { diagnostics } = await check(one, team('one'), same, team('two'), team('own', '../one', '../two'));
    expect(diagnostics).toEqual([]);
  });

  it('two files of one team, and teams that no team brings together, are an error as ever', async () => {
    const twice = { ...toolset('one', 'kind: mcp\nsettings: { command: again }\n'), path: 'one/toolsets/again.yaml' };
    for (const files of [
      [one, twice, team('one')],
      [one, team('one'), two, team('two')],
    ])
      expect((await check(...files)).diagnostics).toMatchObject([{ code: 'DUPLICATE_NAME' }]);
  });
});
