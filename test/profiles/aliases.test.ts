import { describe, expect, it } from 'vitest';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { itReports } from './marked-files.ts';

const careful = 'name: careful\ntype: llm_config\nconfig: { provider: ollama, model: llama, temperature: 0 }\n';
const alias = (name: string, of: string) => `name: ${name}\ntype: llm_config\nalias_of: ${of}\n`;
const profile = (ref: string) => `name: P\ntype: associate\nllm_config_ref: ${ref}\ninstructions: You work.\n`;

function compile(texts: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  return compileProfileFiles(files, { env });
}

describe('an alias', () => {
  it('is the config it names, directly or through other aliases', () => {
    const { set, diagnostics } = compile({
      'llm_configs/careful.yaml': careful,
      'llm_configs/fast.yaml': alias('fast', 'careful'),
      'llm_configs/first.yaml': alias('first', 'fast'),
      'profiles/P.yaml': profile('first'),
    });
    expect(diagnostics).toEqual([]);
    expect(set?.llmConfigs.get('fast')).toBe(set?.llmConfigs.get('careful'));
    expect(set?.llmConfigs.get('first')).toBe(set?.llmConfigs.get('careful'));
    expect(set?.profiles.get('P')?.llmConfigRef).toBe('first');
  });

  it('may name provider/model, and come from the environment', () => {
    const text = alias('strong', '{ _type: from_env, var: STRONG, default: anthropic/claude-x }');
    const files = { 'llm_configs/strong.yaml': text, 'llm_configs/careful.yaml': careful };
    expect(compile(files).set?.llmConfigs.get('strong')).toMatchObject({
      name: 'strong',
      provider: 'anthropic',
      model: 'claude-x',
    });
    expect(compile(files, { STRONG: 'careful' }).set?.llmConfigs.get('strong')).toMatchObject({ name: 'careful' });
    expect(compile(files, { STRONG: 'openrouter/a/b' }).set?.llmConfigs.get('strong')).toMatchObject({
      provider: 'openrouter',
      model: 'a/b',
    });
  });

  it('can be a fallback and a stand-in, and provider/model can be both', () => {
    const main = 'name: main\nconfig: { model: openai/gpt, fallbacks: [fast, ollama/tiny], when_unconfigured: groq/quick }\n';
    const { diagnostics } = compile({
      'llm_configs/main.yaml': main,
      'llm_configs/careful.yaml': careful,
      'llm_configs/fast.yaml': alias('fast', 'careful'),
      'profiles/P.yaml': profile('mistral/large'),
    });
    expect(diagnostics).toEqual([]);
  });

  itReports([
    {
      title: 'of nothing',
      text: { 'llm_configs/careful.yaml': careful, 'llm_configs/f.yaml': alias('fast', '‸carefull') },
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'did you mean `careful`?',
    },
    {
      title: 'of a mistyped provider',
      text: { 'llm_configs/f.yaml': alias('fast', '‸antropic/claude') },
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'did you mean `anthropic/claude`?',
    },
    {
      title: 'of itself',
      text: { 'llm_configs/f.yaml': alias('fast', '‸fast') },
      code: 'BASE_CYCLE',
      says: 'fast -> fast',
    },
    {
      title: 'with its own settings',
      text: { 'llm_configs/f.yaml': `${alias('fast', 'ollama/x')}‸config: { temperature: 0 }\n` },
      code: 'NOT_ALLOWED',
      says: 'an alias has no `config`',
    },
    {
      title: 'of a variable that is not set',
      text: { 'llm_configs/f.yaml': alias('fast', '‸{ _type: from_env, var: FAST }') },
      code: 'BAD_ENVIRONMENT_VALUE',
      says: 'the alias has no target',
    },
    {
      title: 'named by a profile, with a mistyped provider',
      text: { 'llm_configs/careful.yaml': careful, 'profiles/P.yaml': profile('‸olama/llama') },
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'did you mean `ollama/llama`?',
    },
    {
      title: 'a fallback with a mistyped provider',
      text: { 'llm_configs/a.yaml': 'name: a\nconfig: { model: openai/gpt, fallbacks: [‸opanai/gpt] }\n' },
      code: 'UNKNOWN_LLM_CONFIG',
      says: 'did you mean `openai/gpt`?',
    },
  ]);
});
