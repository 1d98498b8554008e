import { describe, expect, it } from 'vitest';
import { compileText, itReports } from './marked-files.ts';

const protocol = (rule: string): Record<string, string> => ({
  'handover_protocols/b.yaml': `protocol_name: b\ninheritance:\n  - ${rule}\n`,
});
const chain = (length: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length }, (_, level) => [
      `p${level}.yaml`,
      level === 0 ? 'name: P0\n' : `name: P${level}\nbase_profile: ${level === 9 ? '‸' : ''}P${level - 1}\n`,
    ]),
  );

describe('inheritance (FAULTS Y8)', () => {
  itReports([
    {
      title: 'an unknown base',
      text: { 'a.yaml': 'name: A\nbase_profile: ‸Bse\n', 'b.yaml': 'name: Base\n' },
      code: 'UNKNOWN_BASE',
      says: ['there is no profile `Bse` (A -> Bse)', 'did you mean `Base`?'],
    },
    {
      title: 'one unknown base of two',
      text: { 'a.yaml': 'name: A\nbase_profile: [Base, ‸Other]\n', 'b.yaml': 'name: Base\n' },
      code: 'UNKNOWN_BASE',
      says: '`Other`',
    },
    { title: 'a path as base', text: 'name: A\nbase_profile: ‸../../etc/passwd\n', code: 'UNKNOWN_BASE', says: 'etc/passwd' },
    { title: 'a profile that inherits from itself', text: 'name: A\nbase_profile: ‸A\n', code: 'BASE_CYCLE', says: 'A -> A' },
    {
      title: 'a circle of three',
      text: {
        'a.yaml': 'name: A\nbase_profile: B\n',
        'b.yaml': 'name: B\nbase_profile: C\n',
        'c.yaml': 'name: C\nbase_profile: ‸A\n',
      },
      code: 'BASE_CYCLE',
      says: 'A -> B -> C -> A',
    },
    { title: 'a chain of ten', text: chain(10), code: 'BASE_TOO_DEEP', says: ['8 levels', 'P9 -> P8'] },
    { title: 'a base that is a number', text: 'name: A\nbase_profile: ‸3\n', code: 'WRONG_TYPE', says: 'must be text or a list' },
  ]);

  it('reports a problem of a base once, however many profiles inherit it', () => {
    const { diagnostics } = compileText({
      'base.yaml':
        'name: Base\npost_turn_observers:\n  - { id: o, condition: flgs.x, action: { type: call, observer: watch_budget } }\n',
      'a.yaml': 'name: A\nbase_profile: Base\n',
      'b.yaml': 'name: B\nbase_profile: Base\n',
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(['BAD_EXPRESSION']);
  });

  it('does not report a base whose file cannot be read as unknown', () => {
    const { diagnostics } = compileText({
      'base.yaml': 'name: Base\ninstructions: @x\n',
      'a.yaml': 'name: A\nbase_profile: Base\n',
    });
    expect(diagnostics.map(({ code, source }) => `${source.file} ${code}`)).toEqual(['base.yaml YAML_SYNTAX']);
  });
});

describe('names', () => {
  itReports([
    {
      title: 'two profiles with one name',
      text: { 'a.yaml': 'name: A\n', 'b.yaml': 'name: ‸A\n' },
      code: 'DUPLICATE_NAME',
      says: 'the first is in a.yaml:1',
    },
    {
      title: 'two profiles that differ in case only',
      text: { 'a.yaml': 'name: Agent\n', 'b.yaml': 'name: ‸agent\n' },
      code: 'CASE_CLASH',
      says: '(a.yaml:1)',
    },
    {
      title: 'two LLM configs with one name',
      text: {
        'llm_configs/a.yaml': 'name: x\nconfig: { model: m/n }\n',
        'llm_configs/b.yaml': 'name: ‸x\nconfig: { model: m/n }\n',
      },
      code: 'DUPLICATE_NAME',
      says: 'a second LLM config',
    },
    {
      title: 'two profiles exposed as one tool',
      text: {
        'a.yaml': 'name: A\nexposable_as_tool: { name: ask, description: x }\n',
        'b.yaml': 'name: B\nexposable_as_tool: { name: ‸ask, description: x }\n',
      },
      code: 'DUPLICATE_NAME',
      says: 'a.yaml:2',
    },
  ]);

  it('lets one profile call another that is exposed as a tool', () => {
    const { set } = compileText({
      'a.yaml': 'name: A\nexposable_as_tool: { name: ask_a, description: x }\n',
      'b.yaml': 'name: B\ntool_access_policy: { allowed_individual_tools: [ask_a] }\n',
    });
    expect(set?.profiles.get('B')?.allowedTools).toEqual(['ask_a']);
  });

  it('warns of agents that may call each other in a circle, once each, unless one says how deep that may go', () => {
    const tool = 'exposable_as_tool: { name: ask_a, description: x }';
    const files = (more: string, limits = '') => ({
      'a.yaml': `name: A\n${tool}\ncallable_profiles: [B]\n${limits}`,
      'b.yaml': `name: B\n${more}\n`,
    });
    const warned = (text: Readonly<Record<string, string>>) =>
      compileText(text).diagnostics.map(({ code, severity, source, message }) => [
        severity,
        code,
        `${source.file}:${source.line}`,
        message,
      ]);
    const circle = [['warning', 'AGENTS_IN_A_CIRCLE', 'a.yaml:1', 'agents of `A`, `B` may call each other in a circle']];
    expect(warned(files('tool_access_policy: { allowed_individual_tools: [ask_a] }'))).toEqual(circle);
    expect(warned(files('tool_access_policy: { allowed_toolsets: [agents] }'))).toEqual(circle);
    expect(warned(files('callable_profiles: [A]'))).toEqual(circle);
    expect(warned(files('callable_profiles: [A]', 'limits: { max_depth: 2 }\n'))).toEqual([]);
    expect(warned(files('type: agent'))).toEqual([]);
    expect(warned({ 'a.yaml': 'name: A\ncallable_profiles: [A]\n' })).toMatchObject([
      ['warning', 'AGENTS_IN_A_CIRCLE', 'a.yaml:1', 'agents of `A` may call themselves'],
    ]);
  });

  it('warns of a callee that cannot be started', () => {
    const { diagnostics } = compileText({
      'a.yaml': 'name: A\ncallable_profiles: [B, C]\n',
      'b.yaml': 'name: B\ntype: base\n',
      'c.yaml': 'name: C\nis_active: false\nexposable_as_tool: { name: ask_c, description: x }\n',
    });
    expect(diagnostics.map(({ severity, source, message }) => `${severity} ${source.file}:${source.line} ${message}`)).toEqual([
      'warning a.yaml:2 `B` is to be called, and is of the type base, which is only inherited from: no agent can call it',
      'warning a.yaml:2 `C` is to be called, and is not active: no agent can call it',
      'warning c.yaml:3 `C` is exposed as a tool, and is not active: no agent can call it',
    ]);
  });
});

describe('handover protocols', () => {
  itReports([
    { title: 'no name', text: { 'handover_protocols/b.yaml': '‸description: x\n' }, code: 'MISSING_KEY', says: '`protocol_name`' },
    {
      title: 'the key of the original (D1.3)',
      text: { 'b.yaml': 'protocol_name: b\n‸context_inheritance: []\n' },
      code: 'UNKNOWN_KEY',
      says: 'did you mean `inheritance`?',
    },
    {
      title: 'a version that is a number',
      text: { 'b.yaml': 'protocol_name: b\nversion: ‸1.0\n' },
      code: 'WRONG_TYPE',
      says: "quote it: '1.0'",
    },
    {
      title: 'parameters that are a list',
      text: { 'b.yaml': 'protocol_name: b\ncontext_parameters: ‸[a]\n' },
      code: 'WRONG_TYPE',
      says: 'a map',
    },
    {
      title: 'parameters that are no schema',
      text: { 'b.yaml': 'protocol_name: b\ncontext_parameters: { type: object, required: ‸yes }\n' },
      code: 'BAD_SCHEMA',
      says: 'required',
    },
    {
      title: 'a target without source',
      text: { 'b.yaml': 'protocol_name: b\ntarget_inbox_item: ‸{}\n' },
      code: 'MISSING_KEY',
      says: '`source`',
    },
    { title: 'a rule without source', text: protocol('‸{ as_payload_key: k }'), code: 'MISSING_KEY', says: '`from_source`' },
    {
      title: 'a rule without payload key',
      text: protocol('‸{ from_source: { path: team.question } }'),
      code: 'MISSING_KEY',
      says: '`as_payload_key`',
    },
    {
      title: 'a source without path',
      text: protocol('{ from_source: ‸{}, as_payload_key: k }'),
      code: 'MISSING_KEY',
      says: '`path_to_iterate`',
    },
    {
      title: 'both kinds of path',
      text: protocol(
        '{ from_source: ‸{ path: team.question, path_to_iterate: team.question, iterate_on: { x: params.y } }, as_payload_key: k }',
      ),
      code: 'NOT_ALLOWED',
      says: 'both',
    },
    {
      title: 'nothing to iterate on',
      text: protocol('{ from_source: ‸{ path_to_iterate: team.question }, as_payload_key: k }'),
      code: 'MISSING_KEY',
      says: '`iterate_on`',
    },
    {
      title: 'a path to nowhere',
      text: protocol('{ from_source: { path: ‸team.work_module }, as_payload_key: k }'),
      code: 'BAD_PATH',
      says: 'work_modules',
    },
    {
      title: 'a variable path to nowhere',
      text: protocol("{ from_source: { path: 'team.work_modules.{{id}}', replace: { id: ‸run.idd } }, as_payload_key: k }"),
      code: 'BAD_PATH',
      says: 'idd',
    },
    {
      title: 'a variable that is not declared',
      text: protocol("{ from_source: { path: 'team.work_modules.‸{{idd}}', replace: { id: params.id } }, as_payload_key: k }"),
      code: 'BAD_TEMPLATE',
      says: 'did you mean `id`?',
    },
    {
      title: 'a bad condition',
      text: protocol("{ from_source: { path: team.question }, as_payload_key: k, condition: 'size(‸parms.x) > 0' }"),
      code: 'BAD_EXPRESSION',
      says: 'params',
    },
    {
      title: 'one payload key twice',
      text: protocol(
        '{ from_source: { path: team.question }, as_payload_key: k }\n  - { from_source: { path: team.question }, as_payload_key: ‸k }',
      ),
      code: 'DUPLICATE_ID',
      says: '`k`',
    },
    {
      title: 'a mistyped key of a rule',
      text: protocol('{ from_source: { path: team.question }, as_payload_key: k, ‸titel: x }'),
      code: 'UNKNOWN_KEY',
      says: 'an inheritance rule',
    },
  ]);
});

describe('known names', () => {
  it('does not check categories of unknown names', () => {
    const { set } = compileText(
      'name: A\ntool_access_policy: { allowed_toolsets: [x], allowed_individual_tools: [y] }\nfunction_node: f\nllm_config_ref: m\n' +
        'pre_turn_observers:\n  - { id: o, action: { type: call, observer: z } }\ninbox_handling_strategies: [{ source: X, ingestor: i }]\n',
      {},
    );
    expect(set).toBeDefined();
  });

  it('takes ingestor names with and without their suffix', () => {
    const { set } = compileText(
      'name: A\ninbox_handling_strategies: [{ source: X, ingestor: work_modules_ingestor }, { source: Y, ingestor: work_modules }]\n',
    );
    expect([...(set?.profiles.get('A')?.strategies.values() ?? [])].map((strategy) => strategy.ingestor)).toEqual([
      'work_modules',
      'work_modules',
    ]);
  });
});
