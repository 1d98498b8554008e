import type { Server } from 'node:http';
import { LLMock, type Fixture } from '@copilotkit/aimock';

/** Wire format: lines of an LLM config for a server on the loopback interface. */
export interface Wire {
  readonly provider: string;
  readonly api?: 'chat' | 'responses';
  readonly model: string;
  /** Variable of its key, which a config with its own address must name. */
  readonly keyVar?: string;
  /** Path below the server's address. */
  readonly path: string;
}

/** Every wire format with a package. */
export const wires: Readonly<Record<string, Wire>> = {
  'OpenAI responses': { provider: 'openai', api: 'responses', model: 'gpt-5', keyVar: 'OPENAI_API_KEY', path: '/v1' },
  'OpenAI chat': { provider: 'openai', api: 'chat', model: 'gpt-5', keyVar: 'OPENAI_API_KEY', path: '/v1' },
  'OpenAI-compatible chat': { provider: 'openai-compatible', model: 'llama', path: '/v1' },
  Anthropic: { provider: 'anthropic', model: 'claude-sonnet-4-5', keyVar: 'ANTHROPIC_API_KEY', path: '/v1' },
  Google: { provider: 'google', model: 'gemini-2.5-pro', keyVar: 'GOOGLE_GENERATIVE_AI_API_KEY', path: '/v1beta' },
};

/** Keys for all of them. */
export const wireKeys = {
  OPENAI_API_KEY: 'sk-test-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  GOOGLE_GENERATIVE_AI_API_KEY: 'AIzaTest0123456789abcdef',
};

/** Returns an LLM config file for a wire format; `more` are further lines below `config`. */
export function wireConfig(wire: Wire, url: string, more: readonly string[] = [], name = 'wire'): { path: string; text: string } {
  const { provider, api, model, keyVar, path } = wire;
  const lines = [
    `provider: ${provider}`,
    ...(api === undefined ? [] : [`api: ${api}`]),
    `model: ${model}`,
    `base_url: ${url}${path}`,
    ...(keyVar === undefined ? [] : [`api_key: { _type: from_env, var: ${keyVar} }`]),
    ...more,
  ];
  return {
    path: `llm_configs/${name}.yaml`,
    text: `name: ${name}\ntype: llm_config\nconfig:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  };
}

/** Mock of all providers, disposed of at the end of its scope. */
export interface MockProviders extends AsyncDisposable {
  readonly url: string;
  readonly mock: LLMock;
}

/** Starts a mock of all providers on the loopback interface. */
export async function startMock(fixtures: readonly Fixture[]): Promise<MockProviders> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.addFixtures([...fixtures]);
  await mock.start();
  return {
    url: mock.url,
    mock,
    async [Symbol.asyncDispose]() {
      // Unless they are closed, it waits seconds for connections that clients keep open.
      const { server } = Reflect.get(mock, 'serverInstance') as { readonly server: Server };
      const stopped = mock.stop();
      server.closeAllConnections();
      await stopped;
    },
  };
}
