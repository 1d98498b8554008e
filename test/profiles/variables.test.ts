import { describe, expect, it } from 'vitest';
import { formatDiagnostics } from '../../src/profiles/format-diagnostics.ts';
import { splitVariables } from '../../src/core/expression/variables.ts';
import { parseRequest } from '../../src/cli/options/option-values.ts';
import { compileGood, compileText, itReports } from './marked-files.ts';

describe('[A4.4.yaml-variables] variables of profiles that are no part of a text', () => {
  it('numbers, names and switches are those of the environment, or the default, with their type', () => {
    const text = `name: A
instructions: "\${WHO:-nobody}"
available_for_staffing: "\${STAFF:-true}"
limits: { max_turns: "\${TURNS:-7}", max_wall_seconds: "\${WAIT:-10}m" }
tool_access_policy: { allowed_individual_tools: ["\${TOOL:-look}"] }
`;
    const profile = compileGood(text, {}, { TURNS: '9' }).profiles.get('A');
    expect(profile).toMatchObject({
      availableForStaffing: true,
      allowedTools: ['look'],
      limits: { maxTurns: 9, maxWallMs: 600_000 },
    });
    // Texts are put together when they are used.
    expect(profile?.segments[0]?.content?.render({ request: { WHO: 'Ann' } })).toBe('Ann');
    expect(profile?.segments[0]?.content?.render({})).toBe('nobody');
  });

  it('an LLM config reads them as lookups: unset ones are missing, and a key stays in the environment', () => {
    const text = {
      'llm_configs/l.yaml': `name: l
type: llm_config
config: { provider: openai, model: "\${MODEL:-m-1}", temperature: "\${T:-0.5}", base_url: "https://\${HOST:-local}/v1", api_key: "\${MY_API_KEY}" }
`,
    };
    const config = compileGood(text, {}, { T: '0.25' }).llmConfigs.get('l');
    expect(config).toMatchObject({ model: 'm-1', apiKeyVar: 'MY_API_KEY', missing: ['MY_API_KEY'] });
    expect(JSON.stringify(config)).toContain('0.25');
    expect(JSON.stringify(config)).toContain('https://local/v1');
    expect(compileGood(text, {}, { MY_API_KEY: 'k-123456' }).llmConfigs.get('l')?.missing).toEqual([]);
  });

  it('a credential in the settings of a toolset is not recorded, anywhere in a text', () => {
    const text = {
      'p.yaml': 'name: A\ninstructions: x\n',
      'toolsets/t.yaml':
        'name: t\ntype: toolset\nsettings: { headers: { authorization: "Bearer ${SERVICE_TOKEN}" }, url: "${URL}" }\n',
    };
    const toolset = compileGood(text, {}, { SERVICE_TOKEN: 'abcdefgh12' }).toolsets.get('t');
    expect(toolset?.secrets).toEqual(['Bearer abcdefgh12', 'abcdefgh12']);
    expect(toolset?.missing).toEqual(['URL']);
  });

  it('a variable that only a request can set is a warning at load, once', () => {
    const { set, diagnostics } = compileText({
      'a.yaml': 'name: A\ntype: base\ninstructions: "For ${tenant}, by ${NOBODY:-us}."\n',
      'b.yaml': 'name: B\nbase_profile: A\n',
    });
    expect(set).toBeDefined();
    expect(diagnostics.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'BAD_ENVIRONMENT_VALUE']]);
    expect(formatDiagnostics(diagnostics)).toContain('write ${tenant:-…}');
  });
});

describe('variables that cannot be', () => {
  itReports([
    {
      title: 'a credential in a text',
      text: 'name: A\ninstructions: "Use ‸${OPENAI_API_KEY:-none}."\n',
      code: 'BAD_TEMPLATE',
      says: 'names a credential',
    },
    {
      title: 'a credential in a payload',
      text: 'name: A\ninstructions: x\npre_turn_observers:\n  - { id: o, action: { type: add_to_inbox, inbox_item: { source: X, payload: { a: "‸${DB_PASSWORD}" } } } }\n',
      code: 'BAD_TEMPLATE',
      says: 'names a credential',
    },
    {
      title: 'an unset number',
      text: 'name: A\ninstructions: x\nlimits: { max_cost_usd: 1, max_wall_seconds: "‸${NOBODY}m" }\n',
      code: 'BAD_ENVIRONMENT_VALUE',
      says: ['does not set NOBODY', 'write ${NOBODY:-…}'],
    },
    {
      title: 'a default of the wrong type',
      text: 'name: A\ninstructions: x\nlimits: { max_turns: ‸"${TURNS:-many}" }\n',
      code: 'WRONG_TYPE',
      says: 'many',
    },
  ]);
});

describe('splitVariables', () => {
  it.each([
    ['plain', ['plain']],
    ['', ['']],
    ['a ${B} c', ['a ', { name: 'B', fallback: undefined, start: 2 }, ' c']],
    ['${B:-}', [{ name: 'B', fallback: '', start: 0 }]],
    ['${B:-x:-y}', [{ name: 'B', fallback: 'x:-y', start: 0 }]],
    ['\\${B}${C}', ['${B}', { name: 'C', fallback: undefined, start: 5 }]],
    ['${1} ${} ${a b} $B ${B', ['${1} ${} ${a b} $B ${B']],
  ])('%s', (text, pieces) => {
    expect(splitVariables(text)).toEqual(pieces);
  });
});

describe('--request name=value', () => {
  it('may be repeated; the value is everything after the first =', () => {
    expect(parseRequest('b=x=y', parseRequest('a=1'))).toEqual({ a: '1', b: 'x=y' });
    expect(() => parseRequest('=x')).toThrow('name=value');
    expect(() => parseRequest('x')).toThrow('name=value');
  });
});
