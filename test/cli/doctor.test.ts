import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isInstalled } from '../../src/cli/doctor/check-toolsets.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { startChatModel } from './chat-model.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

/** Creates a folder whose profile uses one LLM config and one toolset. */
async function project(config: string, toolset = ''): Promise<string> {
  const cwd = await temporaryFolder();
  const files: Readonly<Record<string, string>> = {
    'profiles/Solo.yaml': `name: Solo\ntype: partner\ninstructions: You work.\n${toolset === '' ? '' : 'tool_access_policy: { allowed_toolsets: [tool] }\n'}`,
    'llm_configs/default.yaml': `name: default\ntype: llm_config\nconfig: { ${config} }\n`,
    ...(toolset === '' ? {} : { 'toolsets/tool.yaml': `type: toolset\nname: tool\n${toolset}\n` }),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(cwd, 'agent_profiles', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return cwd;
}

async function findings(cwd: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await runCli(['doctor', '--json', ...words], { cwd, env });
  expect(err).toBe('');
  const { findings: found } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  return { code, of: (what: string) => found.find((finding) => finding.what === what) };
}

it('cadre doctor calls the model when told to, says which key it read, and that its price is unknown', async () => {
  const model = await startChatModel();
  model.answer('ready');
  const cwd = await project(
    `provider: openai-compatible, model: tiny, base_url: '${model.baseUrl}', api_key: { _type: from_env, var: MY_KEY }`,
  );
  const env = { MY_KEY: 'secret-value' };
  const without = await findings(cwd);
  expect([without.code, without.of('LLM config default')]).toEqual([
    1,
    expect.objectContaining({ status: 'problem', found: expect.stringContaining('needs the environment variable MY_KEY') }),
  ]);
  // What the files read is agreed to first; until then nothing is contacted.
  await writeFile(
    path.join(cwd, 'agent_profiles/profiles/Place.yaml'),
    'name: Place\ninstructions: "You work in ${PLACE:-here}."\n',
  );
  const untrusted = await findings(cwd, ['--call'], env);
  expect([untrusted.code, untrusted.of('trust')?.status, untrusted.of('call of default')]).toEqual([1, 'problem', undefined]);
  expect(model.requests).toBe(0);
  const called = await findings(cwd, ['--call', '--trust'], env);
  expect(called.code).toBe(0);
  expect(called.of('LLM config default')?.found).toContain('A key was sent, read from MY_KEY.');
  expect(called.of('price of tiny')).toMatchObject({ status: 'note', todo: 'cadre prices openai-compatible --update' });
  expect(called.of('call of default')).toMatchObject({ status: 'ok', found: expect.stringMatching(/^answered in /) });
  expect(model.requests).toBe(1);
});

it('cadre doctor names a server that does not answer, a browser and packages that are missing, and a journal that is none', async () => {
  const cwd = await project(
    "provider: openai-compatible, model: tiny, base_url: 'http://127.0.0.1:9/v1'",
    'kind: browser\nsettings: { executable: /nowhere/chromium }',
  );
  await mkdir(path.join(cwd, '.cadre'));
  await writeFile(path.join(cwd, '.cadre/journal.db'), 'not a database');
  const { code, of } = await findings(cwd, ['--trust']);
  expect(code).toBe(1);
  expect(of('address of default')).toMatchObject({ status: 'problem', todo: 'start the server, or correct base_url' });
  expect(of('browser of tool')).toMatchObject({ status: 'problem', found: expect.stringContaining('/nowhere/chromium') });
  expect(of('journal')?.status).toBe('problem');
  const offline = await findings(cwd, ['--offline']);
  expect(offline.of('address of default')).toBeUndefined();
});

it('cadre doctor says what a config needs whose stand-in answers; profiles that do not compile are a problem', async () => {
  const cwd = await project('provider: openai, model: gpt-x, when_unconfigured: offline');
  await writeFile(
    path.join(cwd, 'agent_profiles/llm_configs/offline.yaml'),
    'name: offline\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  );
  await mkdir(path.join(cwd, 'agent_profiles/scripts'));
  await writeFile(path.join(cwd, 'agent_profiles/scripts/offline.yaml'), 'rules: []\notherwise: { text: Done. }\n');
  const { code, of } = await findings(cwd);
  expect([code, of('LLM config default')]).toEqual([
    0,
    expect.objectContaining({ status: 'note', todo: expect.stringContaining('OPENAI_API_KEY') }),
  ]);
  await writeFile(path.join(cwd, 'agent_profiles/profiles/Bad.yaml'), 'name: Bad\ntipe: partner\n');
  const broken = await findings(cwd);
  expect([broken.code, broken.of('profiles')]).toEqual([1, expect.objectContaining({ status: 'problem', todo: 'cadre validate' })]);
});

it('cadre doctor finds that a package is not installed, and goes on', () => {
  expect(['yaml', '@nobody/nothing', 'no-such-package'].map(isInstalled)).toEqual([true, false, false]);
});
