import { describe, expect, it } from 'vitest';
import { defaultDeadlines, defaultRetry, type LlmConfig } from '../../src/core/model/llm-config.ts';
import { createLlmConfigs } from '../../src/engine/launch/llm-configs.ts';

const config = (name: string, more: Partial<LlmConfig> = {}): LlmConfig => ({
  name,
  provider: 'openai',
  model: 'm',
  retry: defaultRetry,
  deadlines: defaultDeadlines,
  fallbacks: [],
  missing: [],
  ...more,
});

function configs(...list: readonly LlmConfig[]): ReturnType<typeof createLlmConfigs> {
  return createLlmConfigs(new Map(list.map((entry) => [entry.name, entry])));
}

describe('the config a profile runs on', () => {
  it('a config that lacks something hands over to its stand-in, and that one to its own', () => {
    const all = configs(
      config('a', { missing: ['A'], whenUnconfigured: 'b' }),
      config('b', { missing: ['B'], whenUnconfigured: 'c' }),
      config('c'),
    );
    expect(all.resolve('a').name).toBe('c');
  });

  it('a config that has what it requires is never replaced quietly: it is handed on without its stand-in', () => {
    const chosen = configs(config('a', { whenUnconfigured: 'b' }), config('b')).resolve('a');
    expect(chosen.name).toBe('a');
    expect(chosen.whenUnconfigured).toBeUndefined();
  });

  it('the same config is the same object each time, so that what is made of it is made once', () => {
    const all = configs(config('a', { whenUnconfigured: 'b' }), config('b'));
    expect(all.resolve('a')).toBe(all.resolve('a'));
    expect(all.resolve('b')).toBe(all.resolve('b'));
  });

  it('stand-ins in a circle, or none, are an error that names what to set', () => {
    const all = configs(
      config('a', { missing: ['A'], whenUnconfigured: 'b' }),
      config('b', { missing: ['B'], whenUnconfigured: 'a' }),
    );
    expect(() => all.resolve('a')).toThrow(/needs \w/);
    expect(() => configs(config('x', { missing: ['KEY'] })).resolve('x')).toThrow("LLM config 'x' needs KEY");
    expect(() => configs().resolve('nope')).toThrow("there is no LLM config 'nope'");
  });

  it('a model of a known provider needs no config, and is the same object each time', () => {
    const all = configs(config('a'));
    expect(all.resolve('anthropic/claude-x')).toMatchObject({ provider: 'anthropic', model: 'claude-x', fallbacks: [] });
    expect(all.resolve('openrouter/meta/llama')).toMatchObject({ provider: 'openrouter', model: 'meta/llama' });
    expect(all.resolve('ollama/x')).toBe(all.find('ollama/x'));
    expect(all.names()).toEqual(['a']);
  });

  it('a name that is none says which was probably meant', () => {
    const all = configs(config('careful'));
    expect(() => all.resolve('carefull')).toThrow("did you mean 'careful'?");
    expect(() => all.resolve('antropic/claude')).toThrow("did you mean 'anthropic/claude'?");
    expect(() => all.resolve('nowhere-at-all/claude')).toThrow('there are: careful; or name a model as provider/model');
  });

  it('a model object goes before an alias of its name', () => {
    const target = config('careful');
    const all = createLlmConfigs(
      new Map([
        ['careful', target],
        ['fast', target],
      ]),
      { models: new Map([['fast', undefined]]) },
    );
    expect(all.resolve('fast')).toMatchObject({ name: 'fast', model: 'fast' });
    expect(all.resolve('careful')).toBe(target);
  });
});
