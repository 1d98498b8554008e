import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/core/profile/profile.ts';
import { starterFiles } from '../../src/cli/starter/templates/research.ts';
import { adviseOnProfiles } from '../../src/profiles/advice/advise-on-profiles.ts';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';

const tools = ['search', 'finish_flow', 'look_up_weather', 'edit_file', 'write_file'];

/** The advice on a profile with these lines. */
function advice(lines: string, more: Readonly<Record<string, string>> = {}): readonly Diagnostic[] {
  const files = [
    { path: 'a.yaml', text: `name: A\ntype: agent\n${lines}` },
    ...Object.entries(more).map(([file, text]) => ({ path: file, text })),
  ];
  const { set, diagnostics } = compileProfileFiles(files);
  if (set === undefined) throw new Error(JSON.stringify(diagnostics));
  return adviseOnProfiles(set, { tools: new Set(tools), toolPrefixes: ['github_'] });
}

const rule = (condition: string): string =>
  `instructions: Work.\nflow_decider:\n  - { id: a, condition: ${JSON.stringify(condition)}, action: { type: await_user_input } }\n  - { id: b, action: { type: await_user_input } }\n`;
const counts =
  'pre_turn_observers:\n  - { id: c, action: { type: update_state, updates: [{ operation: increment, path: flags.look_ups }] } }\n';

describe('F24: what loads and is probably not meant', () => {
  it.each<readonly [string, string, string, string, string?]>([
    ['a flag that nothing writes', rule('flags.look_up'), 'NEVER_WRITTEN', 'nothing writes `flags.look_up`', '`flags.look_ups`'],
    [
      'a flag below state',
      rule('default(state.flags.look_up, 0) > 2'),
      'NEVER_WRITTEN',
      'nothing writes `flags.look_up`',
      '`flags.look_ups`',
    ],
    [
      'a tool that does not exist',
      rule("state.current_action.tool_name == 'finish_flw'"),
      'UNKNOWN_TOOL',
      '`finish_flw`',
      '`finish_flow`',
    ],
    [
      'one of several tools',
      rule("inbox.exists(i, i.payload.tool_name in ['edit_file', 'writ_file'])"),
      'UNKNOWN_TOOL',
      '`writ_file`',
      '`write_file`',
    ],
    [
      'a number compared with a text',
      rule("counters.turn_count >= '3'"),
      'NEVER_TRUE',
      '`counters.turn_count`, a number, with a text',
      'without quotes',
    ],
    [
      'a counted flag compared with a text',
      rule("flags.look_ups == '3'"),
      'NEVER_TRUE',
      '`flags.look_ups`, a number, with a text',
      'without quotes',
    ],
    ['a size compared with a text', rule("size(inbox) == '3'"), 'NEVER_TRUE', 'a number with a text', 'without quotes'],
    [
      'a missing number in an order',
      rule('flags.look_ups > 2'),
      'CONDITION_FAILS',
      'counts as false: cannot compare null with a number',
      'default(x, 0)',
    ],
    [
      'a source in a condition',
      rule("inbox.exists(i, i.source == 'TOOL_RESLT')"),
      'UNKNOWN_SOURCE',
      '`TOOL_RESLT`',
      '`TOOL_RESULT`',
    ],
    [
      'a strategy for an unknown source',
      'instructions: Work.\ninbox_handling_strategies:\n  - { source: USER_PROMT, ingestor: user_prompt }\n',
      'UNKNOWN_SOURCE',
      '`USER_PROMT`',
      '`USER_PROMPT`',
    ],
    ['a profile without instructions', '', 'NO_INSTRUCTIONS', 'profile `A` has no instructions'],
  ])('%s is a warning', (_title, lines, code, message, hint) => {
    const found = advice(lines + counts);
    expect(found).toMatchObject([{ severity: 'warning', code, source: { file: 'a.yaml' } }]);
    const said = `${found[0]?.message ?? ''} (${found[0]?.hint ?? ''})`;
    expect(said).toContain(message);
    expect(said).toContain(hint ?? '');
  });

  it('a provider that does not exist is a warning with the one that was meant', () => {
    const config = { path: 'm.yaml', text: 'name: m\ntype: llm_config\nconfig: { model: opnai/gpt-5 }\n' };
    const { diagnostics } = compileProfileFiles([config]);
    expect(diagnostics).toMatchObject([
      { severity: 'warning', code: 'UNKNOWN_PROVIDER', message: 'there is no provider `opnai`', hint: 'did you mean `openai`?' },
    ]);
    const known = { models: new Set(['opnai/gpt-5']) };
    expect(compileProfileFiles([config], { known }).diagnostics).toEqual([]);
  });

  it.each([
    ['a flag that is written', rule('default(flags.look_ups, 0) > 2')],
    ['a value, which tools set', rule("state.values.run_plan.status == 'success'")],
    ['what a launch brings', rule('initial_params.limit > 2')],
    [
      'a source of its own',
      'instructions: Work.\ninbox_handling_strategies:\n  - { source: BUILD_FAILED, ingestor: user_prompt }\n',
    ],
    ['a tool of a server', rule("state.current_action.tool_name == 'github_search'")],
    ['the usual', rule("state.current_action && turn.finish_reason == 'length' && counters.turn_count < 3")],
  ])('%s is fine', (_title, lines) => {
    expect(advice(lines + counts)).toEqual([]);
  });

  it('what several profiles inherit is said once, and a flag that an observer in code may write is not said', () => {
    const base = `name: B\ntype: base\n${rule('flags.seen')}`;
    const profile = (name: string, more = ''): string => `name: ${name}\ntype: agent\nbase_profile: B\n${more}`;
    expect(advice('base_profile: B\n', { 'b.yaml': base, 'c.yaml': profile('C') })).toMatchObject([{ code: 'NEVER_WRITTEN' }]);
    const coded = 'post_turn_observers:\n  - { id: c, action: { type: call, observer: watch } }\n';
    expect(advice('base_profile: B\n', { 'b.yaml': base, 'c.yaml': profile('C', coded) })).toEqual([]);
  });
});

describe('F24: no false alarm', () => {
  const root = path.join(import.meta.dirname, '../..');
  const folders = [
    'agent_profiles',
    ...readdirSync(path.join(root, 'agent_profiles'), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
      path.basename(file) === 'team.yaml' ? [path.join('agent_profiles', path.dirname(file))] : [],
    ),
    ...readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
      file.endsWith('.yaml') && !/node_modules|compose/.test(file) ? [path.join('examples', file.split(path.sep)[0] ?? '')] : [],
    ),
  ];

  it.each([...new Set(folders)])('in %s', async (folder) => {
    const set = await loadProfiles(path.join(root, folder), {
      known: { models: new Set(['default', 'fixer', 'greeter', 'lead']) },
    });
    const named = [...set.profiles.values()].flatMap(({ allowedTools }) => allowedTools);
    const names = { tools: new Set([...tools, ...named]), toolPrefixes: [] };
    expect(set.profiles.size).toBeGreaterThan(0);
    expect(adviseOnProfiles(set, names)).toEqual([]);
  });

  it('in the team that `cadre init` writes', () => {
    const files = starterFiles.flatMap(({ file, text }) => {
      const [folder = '', ...rest] = file.split('/');
      return folder === 'agent_profiles' ? [{ path: rest.join('/'), text }] : [];
    });
    const { set, diagnostics } = compileProfileFiles(files);
    expect([set?.profiles.size, diagnostics]).toEqual([2, []]);
    if (set !== undefined) expect(adviseOnProfiles(set, { tools: new Set(), toolPrefixes: [] })).toEqual([]);
  });
});
