import { describe, expect, it } from 'vitest';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';

const env = {
  MODEL: 'openai/gpt-5',
  ADDRESS: 'https://me:pa%2Fss@host/v1',
  TEAM: 'blue-42',
  AUTH: 'Bearer tok-1',
  MY_TOKEN: 'tok-2',
};

const text = `name: keyed
type: llm_config
config:
  model: { _type: from_env, var: MODEL }
  base_url: { _type: from_env, var: ADDRESS }
  headers:
    x-team: { _type: from_env, var: TEAM }
    authorization: { _type: from_env, var: AUTH }
    x-open: written down
  provider_options: { openai: { user: { _type: from_env, var: MY_TOKEN } } }
`;

describe('what an LLM config takes from the environment', () => {
  it('is a secret where it holds credentials; the name of a model and the address of a server are none', async () => {
    const { llmConfigs } = await loadProfiles({ files: [{ path: 'llm_configs/keyed.yaml', text }] }, { env });
    expect(llmConfigs.get('keyed')?.secrets).toEqual(['pa%2Fss', 'pa/ss', 'blue-42', 'Bearer tok-1', 'tok-1', 'tok-2']);
  });

  it('goes into the environment of other processes; ordinary settings there are no secrets', async () => {
    const toolset = `name: files
type: toolset
kind: mcp
settings:
  command: run
  env:
    A: { _type: from_env, var: A }
    LOG_LEVEL: { _type: from_env, var: LEVEL }
    ROOT: { _type: from_env, var: ROOT }
    SERVER_KEY: { _type: from_env, var: SHORT }
`;
    const values = { A: 'canary-17', LEVEL: 'debugging', ROOT: '/home/data/files', SHORT: 'k-17' };
    const { toolsets } = await loadProfiles({ files: [{ path: 'toolsets/files.yaml', text: toolset }] }, { env: values });
    expect(toolsets.get('files')?.secrets).toEqual(['canary-17', 'k-17']);
  });
});
