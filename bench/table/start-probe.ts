import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Figures } from './probe.ts';

const script = fileURLToPath(new URL('first-answer.ts', import.meta.url));

const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'The sum is 2.' }, finish_reason: null }] },
  {
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
].map((chunk) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', ...chunk })}\n\n`);

/** Times a process from its start to its first answer, by a model behind a port of this machine. */
export async function measureStart(subject: string): Promise<Figures> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunks.join('')}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const began = performance.now();
    const child = spawn(process.execPath, [script, `http://127.0.0.1:${port}/v1`, subject], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const answered = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
    const wall = performance.now() - began;
    await ended;
    if (answered === undefined || child.exitCode !== 0)
      throw new Error(`the process of the first answer exited with ${child.exitCode}`);
    return { wall };
  } finally {
    server.close();
  }
}
