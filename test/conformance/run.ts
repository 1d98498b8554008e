/**
 * Runs the conformance suite of the Model Context Protocol against both of our sides: `npm run test:mcp`. Prints a line for
 * each scenario; exits 1 when one fails. Stays on this machine.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createEngine } from '../../src/index.ts';
import { serveOverHttp } from '../../src/server/mcp/serve-http.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** The others are about logging in with OAuth, and about questions that servers ask, which are not supported. */
const clientScenarios = ['initialize', 'tools_call', 'sse-retry'];
/** The others call tools, prompts and resources of a server that is made for the suite. */
const serverScenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-conformance-'));
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const suite = path.join(path.dirname(manifest), 'dist', 'index.js');
const client = `${process.execPath} ${path.join(import.meta.dirname, 'client.ts')}`;

async function check(side: 'client' | 'server', scenario: string, ...args: readonly string[]): Promise<boolean> {
  const all = [suite, side, ...args, '--scenario', scenario, '--output-dir', folder];
  const run = promisify(execFile)(process.execPath, all, { cwd: folder });
  const { output, ended } = await run.then(
    ({ stdout, stderr }) => ({ output: stdout + stderr, ended: true }),
    (failure: { readonly stdout: string; readonly stderr: string }) => ({ output: failure.stdout + failure.stderr, ended: false }),
  );
  const passed = Number(/Passed: (\d+)\/\d+, 0 failed/.exec(output)?.[1] ?? 0);
  const ok = ended && passed > 0;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${side} ${scenario}${ok ? `: ${passed} checks` : `\n${output}`}`);
  return ok;
}

await using engine = await createEngine({
  profiles: { files: [{ path: 'profiles/a.yaml', text: 'name: A\ninstructions: You help.\n' }] },
  models: { default: scriptedModel([]) },
  store: 'memory',
});
const served = await serveOverHttp({ engine, defaultProfile: 'A', signal: new AbortController().signal, port: 0 });
const verdicts: boolean[] = [];
for (const scenario of clientScenarios) verdicts.push(await check('client', scenario, '--command', client));
for (const scenario of serverScenarios) verdicts.push(await check('server', scenario, '--url', served.url));
await served.close();
process.exitCode = verdicts.includes(false) ? 1 : 0;
