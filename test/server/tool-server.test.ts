import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { call as reply, resultOf, speaks, toolsOf } from '../scenarios/scenario.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { whyNoSandbox } from '../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
const root = path.join(import.meta.dirname, '../..');
const system = path.join(root, 'agent_profiles/openmanus');

/** The command line of a server over a workspace. */
const serving = (workspace: string, store: string, profiles = system): readonly string[] => [
  path.join(root, 'bin/cadre.mjs'),
  ...['mcp', '--tools-of', 'tool_server', '--profiles', profiles, '--workspace', workspace, '--store', store],
];

interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

async function connect(args: readonly string[]) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], cwd: root, stderr: 'ignore' }));
  onTestFinished(async () => await client.close());
  const call = async (name: string, given: Record<string, unknown> = {}, options = {}): Promise<Answered> => {
    const result = await client.callTool({ name, arguments: given }, options);
    return {
      text: result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'),
      isError: result.isError === true,
    };
  };
  return { client, call };
}

describe('the tools of a profile, served over MCP', () => {
  it.skipIf(reason !== undefined)(
    `[A2.4.mcp-server] a shell that keeps its session, files and a browser; what is wrong is an error; all of it is on record (${reason ?? 'a real client and process'})`,
    async () => {
      const workspace = await makeFolder({ 'picture.png': Buffer.from('89504e470d0a1a0a', 'hex') });
      const store = path.join(await makeFolder(), 'journal.db');
      const { client, call } = await connect(serving(workspace, store));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['run_command', 'edit_file', 'browse_open_page']));
      expect(tools.find(({ name }) => name === 'run_command')).toMatchObject({
        description: expect.stringContaining('bash') as string,
        inputSchema: { type: 'object', required: ['command'] },
      });
      expect(await call('run_command', { command: 'mkdir -p in && cd in && echo tea > list' })).toMatchObject({ isError: false });
      expect((await call('run_command', { command: 'pwd; cat list' })).text).toMatch(/\/in\ntea/);
      expect(
        (await call('edit_file', { command: 'str_replace', path: 'in/list', old_str: 'tea', new_str: 'coffee' })).text,
      ).toContain('Edited');
      const both = await Promise.all([call('read_file', { path: 'in/list' }), call('read_file', { path: '../../etc/passwd' })]);
      expect(both.map(({ isError }) => isError)).toEqual([false, true]);
      expect(both[0]?.text).toContain('coffee');
      expect(both[1]?.text).toContain('PATH_REFUSED');
      expect((await call('read_file', { path: 'picture.png' })).text).toContain('[image]');
      expect(await call('run_command', { cmd: 'ls' })).toMatchObject({
        isError: true,
        text: expect.stringContaining('command') as string,
      });
      expect(await call('launch_missiles')).toMatchObject({
        isError: true,
        text: expect.stringContaining('TOOL_UNKNOWN') as string,
      });
      expect(await readFile(path.join(workspace, 'in/list'), 'utf8')).toBe('coffee\n');
      await client.close();
      const shown = async (...words: readonly string[]): Promise<string> =>
        (await promisify(execFile)(process.execPath, [path.join(root, 'bin/cadre.mjs'), ...words, '--store', store])).stdout;
      expect(await shown('turns', 'last')).toMatch(/run_command[^]*edit_file[^]*read_file/);
      expect(await shown('runs')).toContain('cancelled');
    },
  );

  it.skipIf(reason !== undefined)(
    `a call that its client cancels ends with what it started, and the next one begins anew (${reason ?? 'a real client and process'})`,
    async () => {
      const workspace = await makeFolder();
      const { call } = await connect(serving(workspace, path.join(await makeFolder(), 'journal.db')));
      expect((await call('run_command', { command: 'export WHO=Ada; echo $WHO' })).text).toContain('Ada');
      const stop = new AbortController();
      const slow = call('run_command', { command: 'touch began; sleep 30; touch late' }, { signal: stop.signal });
      slow.catch(() => undefined);
      while (!existsSync(path.join(workspace, 'began'))) await new Promise((resolve) => setTimeout(resolve, 20));
      stop.abort();
      await expect(slow).rejects.toThrow();
      expect((await call('run_command', { command: 'echo "nobody: $WHO"; ls' })).text).toMatch(/nobody: \n/);
    },
  );

  it.skipIf(reason !== undefined)(
    `[A2.2.mcp] [A2.4.mcp-server] an agent elsewhere works with them as with any server (${reason ?? 'two real processes'})`,
    async () => {
      const workspace = await makeFolder();
      const args = [...serving(workspace, path.join(await makeFolder(), 'journal.db'))];
      const model = speaks(
        reply('mcp_server_run_command', { command: 'echo 6*7 | tr "*" "\\n" | wc -l' }),
        reply('terminate', { status: 'success', message: 'Two numbers.' }),
      );
      const settings = { command: process.execPath, args, cwd: root, needs_approval: false };
      const engine = await createEngine({
        profiles: system,
        models: { default: model },
        toolsets: { mcp_server: { kind: 'mcp', settings } },
        store: 'memory',
        env: {},
      });
      onTestFinished(async () => await engine.close());
      const run = await engine.launch({ profile: 'mcp', input: 'How many numbers?' });
      expect((await run.result).output).toBe('Two numbers.');
      expect(toolsOf(model.requests[0])).toContain('mcp_server_browse_click');
      expect(resultOf(run, 'mcp_server_run_command')).toMatch(/exit code 0[^]*2/);
    },
  );

  it('a call that must be approved waits for a person and tells its client; words that would end the run are an error', async () => {
    const [workspace, folder] = [await makeFolder(), await makeFolder()];
    const store = path.join(folder, 'journal.db');
    const own = await makeFolder({
      'team.yaml': 'type: team\nname: own\n',
      'profiles/asks.yaml':
        'name: asks\nllm_config_ref: none\ntool_access_policy: { allowed_toolsets: [workspace] }\ntool_gates: [{ id: g, tools: [write_file], verdict: ask }]\n' +
        'flow_decider: [{ id: c, condition: state.current_action, action: { type: continue_with_tool } }, { id: w, action: { type: await_user_input } }]\n',
      'profiles/ends.yaml': 'name: ends\nllm_config_ref: none\ntool_access_policy: { allowed_toolsets: [workspace] }\n',
      'llm_configs/none.yaml': 'type: llm_config\nname: none\nconfig: { provider: scripted, script: scripts/s.yaml }\n',
      'scripts/s.yaml': 'rules: []\notherwise: Nothing.\n',
    });
    const args = (profile: string) => serving(workspace, store, own).map((word) => (word === 'tool_server' ? profile : word));
    const { call } = await connect(args('asks'));
    const told: string[] = [];
    const onprogress = ({ message = '' }: { readonly message?: string | undefined }): void => void told.push(message);
    const writing = call('write_file', { path: 'a.txt', content: 'A' }, { onprogress });
    const asked = (): string | undefined => told.find((words) => words.includes('waits for a person'));
    while (asked() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false);
    const words = (asked() ?? '').split('cadre ')[1]?.split(' ') ?? [];
    await promisify(execFile)(process.execPath, [path.join(root, 'bin/cadre.mjs'), ...words, '--store', store]);
    expect((await writing).isError).toBe(false);
    expect(await readFile(path.join(workspace, 'a.txt'), 'utf8')).toBe('A');
    const ends = await connect(args('ends'));
    await expect(ends.client.listTools()).rejects.toThrow(/await_user_input/);
  });

  it('is refused over HTTP, where its sessions would be anybody’s', async () => {
    const command = promisify(execFile)(process.execPath, [
      path.join(root, 'bin/cadre.mjs'),
      'mcp',
      '--http',
      '--tools-of',
      'tool_server',
      '--profiles',
      system,
    ]);
    await expect(command).rejects.toMatchObject({ stderr: expect.stringContaining('leave out --http') as string });
  });
});
