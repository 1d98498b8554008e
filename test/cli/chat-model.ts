import { createServer, type ServerResponse } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** OpenAI-compatible server in this process; does not respond until a reply is set. */
export interface ChatModel {
  readonly baseUrl: string;
  /** Number of requests received. */
  readonly requests: number;
  /** Answers every request with this text from now on. */
  answer(text: string): void;
  /** Starts every reply with this text from now on and never finishes it. */
  begin(text: string): void;
}

/** Starts a model server on a free port; closes it after the test. */
export async function startChatModel(): Promise<ChatModel> {
  let text: string | undefined;
  let isWhole = true;
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      requests += 1;
      // Without a reply it does not respond, like a slow model.
      if (text !== undefined) stream(response, text, isWhole);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    get requests() {
      return requests;
    },
    answer: (words) => {
      text = words;
      isWhole = true;
    },
    begin: (words) => {
      text = words;
      isWhole = false;
    },
  };
}

function stream(response: ServerResponse, text: string, isWhole: boolean): void {
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const begin = chunk({ role: 'assistant', content: text }, null);
  if (isWhole) response.end(`${begin}${chunk({}, 'stop')}data: [DONE]\n\n`);
  else response.write(begin);
}

/** Writes a folder with one profile that uses a model server, and one document. */
export async function writeSoloTeam(folder: string, baseUrl: string): Promise<void> {
  const files = {
    'agent_profiles/profiles/Solo.yaml': `name: Solo
type: partner
llm_config_ref: local
tool_access_policy: { allowed_toolsets: [] }
system_prompt_construction:
  system_prompt_segments: [{ id: role, type: static_text, content: You answer. }]
flow_decider:
  - { id: rest, action: { type: await_user_input } }
`,
    'agent_profiles/llm_configs/local.yaml': `name: local
type: llm_config
config: { provider: openai-compatible, model: m, base_url: "${baseUrl}", max_retries: 0 }
`,
    'docs/a.md': '# A\n\nSomething.\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}
