import { describe, expect, it } from 'vitest';
import { formatDiagnostics } from '../../src/profiles/format-diagnostics.ts';
import { compileText, itReports } from './marked-files.ts';

const config = (settings: string): Record<string, string> => ({
  'llm_configs/a.yaml': `name: a\ntype: llm_config\nconfig:\n  model: openai/gpt-5\n${settings}\n`,
});
const scripted = (script: string): Record<string, string> => ({
  'team/llm_configs/a.yaml': 'name: a\nconfig: { provider: scripted, script: scripts/s.yaml }\n',
  'team/scripts/s.yaml': script,
});

describe('LLM configs', () => {
  itReports([
    {
      title: 'no name',
      text: { 'llm_configs/a.yaml': '‸type: llm_config\nconfig: { model: x/y }\n' },
      code: 'MISSING_KEY',
      says: '`name` is missing in an LLM config',
    },
    {
      title: 'another type',
      text: { 'llm_configs/a.yaml': 'name: a\ntype: ‸llm\nconfig: { model: x/y }\n' },
      code: 'NOT_ALLOWED',
      says: 'llm_config',
    },
    {
      title: 'no model',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: ‸{ temperature: 1 }\n' },
      code: 'MISSING_KEY',
      says: 'names no model',
    },
    { title: 'no config at all', text: { 'llm_configs/a.yaml': '‸name: a\n' }, code: 'MISSING_KEY', says: 'names no model' },
    {
      title: 'a model beside config',
      text: { 'llm_configs/a.yaml': 'name: a\n‸model: x\nconfig: { model: x/y }\n' },
      code: 'UNKNOWN_KEY',
      says: 'below config:',
    },
    {
      title: 'a fallback that calls tools in another protocol',
      text: {
        'llm_configs/a.yaml': 'name: a\nconfig: { model: openai/gpt-5, tool_protocol: xml, fallbacks: [‸b] }\n',
        'llm_configs/b.yaml': 'name: b\nconfig: { model: openai/gpt-5 }\n',
      },
      code: 'FALLBACK_PROTOCOL',
      severity: 'warning',
      says: 'is asked in that of `a`, xml',
    },
    {
      title: 'replay without a recording',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: ‸{ provider: replay }\n' },
      code: 'MISSING_KEY',
      says: '`recording` is missing',
    },
    { title: 'an unknown tool protocol', text: config('  tool_protocol: ‸yaml'), code: 'NOT_ALLOWED', says: 'json_actions' },
    { title: 'a mistyped setting', text: config('  ‸temprature: 1'), code: 'UNKNOWN_KEY', says: 'did you mean `temperature`?' },
    { title: 'a temperature out of range', text: config('  temperature: ‸3'), code: 'OUT_OF_RANGE', says: '<= 2' },
    { title: 'a temperature in words', text: config('  temperature: ‸low'), code: 'WRONG_TYPE', says: 'a number' },
    { title: 'a stop text without list', text: config('  stop: ‸END'), code: 'WRONG_TYPE', says: 'a list' },
    { title: 'a key in the file', text: config('  api_key: ‸sk-secret'), code: 'SECRET_IN_FILE', says: '_type: from_env' },
    { title: 'a key without variable', text: config('  api_key: ‸{ _type: from_env }'), code: 'MISSING_KEY', says: '`var`' },
    {
      title: 'a variable with a space',
      text: config('  base_url: { _type: from_env, var: ‸MY URL }'),
      code: 'NOT_ALLOWED',
      says: 'environment variable',
    },
    {
      title: 'an unknown lookup',
      text: config('  base_url: { _type: ‸env, var: X }'),
      code: 'NOT_ALLOWED',
      says: 'from_env, json_from_file',
    },
    {
      title: 'a mistyped lookup key',
      text: config('  base_url: { _type: from_env, var: X, ‸defualt: y }'),
      code: 'UNKNOWN_KEY',
      says: 'did you mean `default`?',
    },
    {
      title: 'a JSON file that is not there',
      text: config('  provider_options: { _type: json_from_file, path: ‸options.json }'),
      code: 'BAD_REFERENCE',
      says: 'there is no file `options.json`',
    },
    {
      title: 'a JSON file outside the folder',
      text: config('  provider_options: { _type: json_from_file, path: ‸../../etc/passwd }'),
      code: 'BAD_REFERENCE',
      says: 'not a path inside',
    },
    {
      title: 'an absolute JSON file',
      text: config('  provider_options: { _type: json_from_file, path: ‸/etc/passwd }'),
      code: 'BAD_REFERENCE',
      says: 'not a path inside',
    },
    {
      title: 'a JSON file that is not JSON',
      text: { ...config('  provider_options: { _type: json_from_file, path: ‸o.json }'), 'llm_configs/o.json': '{' },
      code: 'BAD_REFERENCE',
      says: 'is not JSON',
    },
    {
      title: 'a JSON file of the wrong shape',
      text: { ...config('  provider_options: ‸{ _type: json_from_file, path: o.json }'), 'llm_configs/o.json': '[1]' },
      code: 'WRONG_TYPE',
      says: '`config.provider_options` must be a map',
    },
    { title: 'a timeout without unit', text: config("  timeouts: { total: ‸'90' }"), code: 'NOT_ALLOWED', says: '30s' },
    { title: 'an unknown timeout', text: config('  timeouts: { ‸first: 3 }'), code: 'UNKNOWN_KEY', says: 'first_token' },
    { title: 'half a price', text: config('  price: ‸{ input: 1 }'), code: 'MISSING_KEY', says: '`output`' },
    { title: 'an unknown fallback', text: config('  fallbacks: [‸b]'), code: 'UNKNOWN_LLM_CONFIG', says: '`b`' },
    { title: 'an unknown stand-in', text: config('  when_unconfigured: ‸ofline'), code: 'UNKNOWN_LLM_CONFIG', says: '`ofline`' },
    { title: 'a stand-in that is itself', text: config('  when_unconfigured: ‸a'), code: 'BASE_CYCLE', says: 'a -> a' },
    {
      title: 'an unknown base',
      text: { 'llm_configs/a.yaml': 'name: a\nbase_llm_config: ‸base\nconfig: { model: x/y }\n' },
      code: 'UNKNOWN_BASE',
      says: ['there is no LLM config `base`', 'a -> base'],
    },
    {
      title: 'scripted without script',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: ‸{ provider: scripted }\n' },
      code: 'MISSING_KEY',
      says: '`script` is missing',
    },
    {
      title: 'a script that is not there',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: { provider: scripted, script: ‸scripts/s.yaml }\n' },
      code: 'BAD_REFERENCE',
      says: '`scripts/s.yaml`',
    },
    {
      title: 'a script outside the folder',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: { provider: scripted, script: ‸../s.yaml }\n' },
      code: 'BAD_REFERENCE',
      says: 'not a path inside',
    },
    {
      title: 'a profile on a config without model',
      text: {
        'llm_configs/a.yaml': 'name: a\nconfig: { temperature: 1 }\n',
        'llm_configs/b.yaml': 'name: b\nbase_llm_config: a\nconfig: { model: x/y }\n',
        'p.yaml': 'name: P\nllm_config_ref: ‸a\n',
      },
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'names no model',
    },
  ]);

  it('never repeats an API key found in a file', () => {
    expect(formatDiagnostics(compileText(config('  api_key: sk-secret')).diagnostics)).not.toContain('sk-secret');
  });

  it('reports a variable whose value does not fit, without its value', () => {
    const { diagnostics } = compileText(config('  temperature: { _type: from_env, var: HEAT }'), {}, { HEAT: 'scorching' });
    expect(diagnostics.map(({ code, source }) => `${source.line}:${source.column} ${code}`)).toEqual([
      '5:16 BAD_ENVIRONMENT_VALUE',
    ]);
    expect(formatDiagnostics(diagnostics)).toContain('`HEAT`');
    expect(formatDiagnostics(diagnostics)).not.toContain('scorching');
  });
});

describe('scripts of scripted models', () => {
  itReports([
    { title: 'no rules', text: scripted('‸name: s\n'), code: 'BAD_SCRIPT', says: 'a list of rules' },
    { title: 'an unknown key', text: scripted('‸rule: []\nrules: []\n'), code: 'BAD_SCRIPT', says: 'did you mean "rules"?' },
    {
      title: 'an unknown key of a rule',
      text: scripted('rules:\n  - id: a\n    ‸if: turn == 1\n    reply: x\n'),
      code: 'BAD_SCRIPT',
      says: '"if" is not known here',
    },
    { title: 'a rule without reply', text: scripted('rules:\n  - ‸id: a\n'), code: 'BAD_SCRIPT', says: 'has no reply' },
    {
      title: 'a bad condition',
      text: scripted("rules:\n  - id: a\n    when: 'turn == 1 && ‸trun == 2'\n    reply: x\n"),
      code: 'BAD_SCRIPT',
      says: 'trun',
    },
    {
      title: 'a bad condition in a block',
      text: scripted('rules:\n  - id: a\n    when: >-\n      turn == 1\n      && ‸trun == 2\n    reply: x\n'),
      code: 'BAD_SCRIPT',
      says: 'trun',
    },
    {
      title: 'a bad reply',
      text: scripted('rules:\n  - id: a\n    reply: |\n      Hello\n      {{ ‸first_usr }}\n'),
      code: 'BAD_SCRIPT',
      says: 'first_user',
    },
    {
      title: 'a bad argument',
      text: scripted(
        'rules:\n  - id: a\n    reply:\n      tool_calls:\n        - tool: search\n          args: { q: "x {{ ‸usr }}" }\n',
      ),
      code: 'BAD_SCRIPT',
      says: 'usr',
    },
    {
      title: 'a reply of the wrong type',
      text: scripted('rules:\n  - id: a\n    reply: ‸3\n'),
      code: 'BAD_SCRIPT',
      says: 'a reply must be a text',
    },
    {
      title: 'a call of an unknown tool',
      text: scripted('rules:\n  - id: a\n    reply:\n      tool_calls: [{ tool: ‸serch }]\n'),
      code: 'UNKNOWN_TOOL',
      says: 'did you mean `search`?',
      severity: 'warning',
    },
    { title: 'a list at the root', text: scripted('‸- id: a\n'), code: 'NOT_A_MAP', says: 'must be a map' },
  ]);
});
