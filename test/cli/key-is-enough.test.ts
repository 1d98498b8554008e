import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hardPackages } from '../support/hard-packages.ts';
import { replyOver } from '../models/raw-wires.ts';
import { wires } from '../models/wires.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

/** Runs the command line with only the packages that `npm install cadre` installs. */
function withoutOptionalPackages(): string {
  const places = JSON.stringify([...hardPackages().keys()]);
  const program = `
    import { registerHooks } from 'node:module';
    const places = ${places};
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        if (!found.url.includes('/node_modules/') || places.some((place) => found.url.includes('/' + place + '/'))) return found;
        throw Object.assign(new Error('Cannot find package ' + specifier), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}

/** Starts a server with OpenAI's API; `asked` collects its requests. */
async function standIn(): Promise<{ readonly url: string; readonly asked: { readonly path: string; readonly key: string }[] }> {
  const asked: { path: string; key: string }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push({ path: request.url ?? '', key: request.headers.authorization ?? '' });
    const wire = wires[request.url === '/v1/responses' ? 'OpenAI responses' : 'OpenAI chat'];
    if (wire === undefined) throw new Error('no such wire');
    replyOver(wire, { text: 'It is sunny.' })(response, {}, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

it('a key is enough for a model of OpenAI, at its own address and at a gateway: no package has to be installed', async () => {
  const cwd = await temporaryFolder();
  await runCli(['init'], { cwd });
  const { url, asked } = await standIn();
  const NODE_OPTIONS = withoutOptionalPackages();
  const run = (env: Readonly<Record<string, string>>) => runCli(['run', 'Hello.'], { cwd, env: { NODE_OPTIONS, ...env } });

  const own = await run({ OPENAI_API_KEY: 'sk-own', OPENAI_BASE_URL: url });
  expect(own, own.err).toMatchObject({ code: 0 });
  expect(own.out).toContain('It is sunny.');
  expect(asked.splice(0)).toContainEqual({ path: '/v1/responses', key: 'Bearer sk-own' });

  const gateway = await run({ CADRE_MODEL: 'openai/gpt-5-mini', CADRE_BASE_URL: url, CADRE_API_KEY: 'sk-gateway' });
  expect(gateway, gateway.err).toMatchObject({ code: 0 });
  expect(gateway.out).toContain('It is sunny.');
  expect(asked.splice(0)).toContainEqual({ path: '/v1/chat/completions', key: 'Bearer sk-gateway' });

  const other = await run({ CADRE_MODEL: 'anthropic/claude-sonnet-4-5', ANTHROPIC_API_KEY: 'sk-ant' });
  expect(other.code).not.toBe(0);
  expect(other.err).toContain('Install it with: npm install @ai-sdk/anthropic');
});
