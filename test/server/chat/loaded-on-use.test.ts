import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const src = path.join(import.meta.dirname, '..', '..', '..', 'src');

const profile = 'name: Clerk\ntype: associate\nllm_config_ref: openai/gpt-5-mini\ninstructions: Be brief.\n';

it('the AI SDK is loaded when a chat is first used: importing Cadre, and serving teams, do without it', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1];
        if (name !== undefined) packages.add(name);
        return found;
      },
    });
    const sdk = () => [...packages].filter((name) => name === 'ai' || name === 'zod' || /^@ai-sdk/.test(name));
    const { createEngine } = await import(${JSON.stringify(path.join(src, 'index.ts'))});
    const { createServerApp } = await import(${JSON.stringify(path.join(src, 'server', 'index.ts'))});
    const engine = await createEngine({ profiles: { files: [{ path: 'Clerk.yaml', text: ${JSON.stringify(profile)} }] }, store: 'memory' });
    const app = createServerApp(engine);
    const ask = (path, init) => app.request('http://127.0.0.1' + path, { headers: { host: '127.0.0.1' }, ...init });
    const statuses = [(await ask('/api/runs')).status, (await ask('/api/chat/none/stream')).status];
    const before = sdk();
    const said = await ask('/api/chat', {
      method: 'POST',
      headers: { host: '127.0.0.1', 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text' }] }] }),
    });
    const answer = await said.json();
    await engine.close();
    console.log(JSON.stringify({ statuses, before, said: said.status, message: answer.error.message, after: sdk() }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: path.dirname(src),
  });
  expect(JSON.parse(stdout)).toEqual({
    statuses: [200, 204],
    before: [],
    said: 400,
    message: expect.stringContaining('messages[0].parts[0].text') as string,
    after: expect.arrayContaining(['ai', 'zod']) as string[],
  });
});
