import { describe, expect, it } from 'vitest';
import { compileGood, compileText, itReports } from './marked-files.ts';

const box = (rest: string): Record<string, string> => ({ 'toolsets/a.yaml': `name: box\n${rest}\n` });
const profile = (policy: string): string => `name: P\ntool_access_policy: { ${policy} }\n`;

describe('toolset files', () => {
  itReports([
    { title: 'no name', text: { 'toolsets/a.yaml': '‸kind: box\n' }, code: 'MISSING_KEY', says: '`name` is missing in a toolset' },
    {
      title: 'a kind that does not exist',
      text: { 'toolsets/a.yaml': 'name: mine\nkind: ‸bx\n' },
      code: 'UNKNOWN_TOOLSET',
      says: ['there is no kind of toolset `bx`', 'box'],
    },
    {
      title: 'a name that is no kind, and none given',
      text: { 'toolsets/a.yaml': 'name: ‸mine\n' },
      code: 'UNKNOWN_TOOLSET',
      says: 'write kind:',
    },
    { title: 'a setting that does not exist', text: box('settings: { ‸sise: 1 }'), code: 'UNKNOWN_KEY', says: 'size' },
    { title: 'a setting of another type', text: box('settings: { size: ‸big }'), code: 'WRONG_TYPE', says: '`settings.size`' },
    { title: 'a setting beside settings', text: box('‸command: x'), code: 'UNKNOWN_KEY', says: 'below settings:' },
    {
      title: 'a setting that names an unknown profile',
      text: { ...box('settings: { owner: ‸Ows }'), 'profiles/p.yaml': 'name: Own\ninstructions: x\n' },
      code: 'UNKNOWN_PROFILE',
      says: ['there is no profile `Ows`', 'Own'],
    },
    {
      title: 'two of one name',
      text: { 'toolsets/a.yaml': 'name: box\n', 'toolsets/b.yaml': 'name: ‸box\n' },
      code: 'DUPLICATE_NAME',
      says: 'a second toolset named `box`',
    },
    {
      title: 'a variable that is required and not set',
      text: { 'toolsets/a.yaml': '‸name: box\nsettings: { token: { _type: from_env, var: BOX_TOKEN, required: true } }\n' },
      code: 'BAD_ENVIRONMENT_VALUE',
      says: 'BOX_TOKEN',
      severity: 'warning',
    },
    {
      title: 'a profile that allows an unknown tool',
      text: { ...box(''), 'profiles/p.yaml': profile('allowed_individual_tools: [‸open_bax]') },
      code: 'UNKNOWN_TOOL',
      says: 'open_box',
    },
  ]);

  it('profiles allow a declared toolset, its tools under their own or a longer name, and tools that are not known yet', () => {
    const set = compileGood({
      'toolsets/a.yaml': 'name: my\nkind: box\nsettings: { size: 3 }\n',
      'toolsets/b.yaml': 'name: far\nkind: server\n',
      'profiles/p.yaml': profile(
        'allowed_toolsets: [my, far, box], allowed_individual_tools: [my_open_box, open_box, far_anything]',
      ),
      'profiles/q.yaml': 'name: Q\ntool_access_policy: { allowed_toolsets: ["*"], allowed_individual_tools: ["*"] }\n',
    });
    expect(set.toolsets.get('my')).toMatchObject({ name: 'my', kind: 'box', settings: { size: 3 }, secrets: [], missing: [] });
    expect(set.files.map(({ path }) => path)).toContain('toolsets/b.yaml');
  });

  it('a script may call tools of a server, which are known once it is connected', () => {
    const set = compileGood({
      'toolsets/b.yaml': 'name: far\nkind: server\n',
      'scripts/s.yaml': 'rules:\n  - reply: { tool_calls: [{ tool: far_anything }] }\notherwise: Done.\n',
    });
    expect(set.warnings).toEqual([]);
  });

  it('takes values from the environment, and knows which they are', () => {
    const { set, diagnostics } = compileText(
      box('settings: { token: { _type: from_env, var: T }, env: { A: { _type: from_env, var: N }, B: b } }'),
      undefined,
      { T: 'hush', N: '12' },
    );
    expect(diagnostics).toEqual([]);
    expect(set?.toolsets.get('box')).toMatchObject({
      settings: { token: 'hush', env: { A: '12', B: 'b' } },
      secrets: ['hush'],
    });
  });

  it('a value from the environment that does not fit is reported without the value', () => {
    const { diagnostics } = compileText(box('settings: { size: { _type: from_env, var: N } }'), undefined, { N: 'hush' });
    expect(diagnostics.map(({ code }) => code)).toEqual(['BAD_ENVIRONMENT_VALUE']);
    expect(JSON.stringify(diagnostics)).not.toContain('hush');
  });
});
