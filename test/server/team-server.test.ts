import { mkdtempSync, writeFileSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine, defineTool, type Engine, type Run } from '../../src/index.ts';
import type { AccessOptions } from '../../src/server/access/access.ts';
import { accessTable, roleFor } from '../../src/server/access/access-table.ts';
import { hashToken } from '../../src/server/access/users.ts';
import { includesRole, type Role, roles } from '../../src/core/roles.ts';
import { serveOverHttp, type ServedTeams } from '../../src/server/mcp/serve-http.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { gate } from '../support/test-engine.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const profile = `name: Helper
type: partner
description_for_human: Helps with anything.
instructions: You help.
tool_access_policy: { allowed_individual_tools: [look, pay, ask_user] }
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, action: { type: await_user_input } }
`;

const held = gate();
const tools = [
  defineTool({ name: 'look', description: 'Looks.', effect: 'pure', execute: () => held.promise.then(() => 'a cat') }),
  defineTool({ name: 'pay', description: 'Pays.', needs_approval: true, execute: () => 'paid' }),
];

async function serve(
  replies: readonly ScriptedReply[],
  options: Pick<AccessOptions, 'token' | 'users'> & { readonly allowDecisions?: boolean } = {},
): Promise<{ readonly served: ServedTeams; readonly engine: Engine; readonly stop: AbortController }> {
  const engine = await createEngine({
    profiles: {
      files: [
        { path: 'profiles/helper.yaml', text: profile.replace(', ask_user', '') },
        { path: 'profiles/rules.yaml', text: 'name: HouseRules\ntype: base\ninstructions: You are polite.\n' },
      ],
    },
    models: { default: scriptedModel(replies) },
    tools,
    store: 'memory',
  });
  closing.push(() => engine.close());
  const stop = new AbortController();
  const served = await serveOverHttp({ engine, defaultProfile: 'Helper', signal: stop.signal, port: 0, ...options });
  closing.push(() => served.close());
  return { served, engine, stop };
}

async function client(url: string, mode: 'legacy' | 'auto' = 'auto', headers: Record<string, string> = {}): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  closing.push(() => made.close());
  return made;
}

async function call(
  to: Client,
  name: string,
  args: Record<string, unknown> = {},
  onprogress?: (note: { message?: string | undefined }) => void,
) {
  const result = await to.callTool({ name, arguments: args }, onprogress === undefined ? {} : { onprogress });
  const [part] = result.content;
  return {
    text: part?.type === 'text' ? part.text : '',
    isError: result.isError === true,
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

describe('[B.87] teams served over HTTP', () => {
  it.each(['legacy', 'auto'] as const)(
    'run, talk, look and ask why, in the protocol of %s clients, with progress',
    async (mode) => {
      held.open();
      const { served } = await serve([
        { toolCalls: [{ name: 'look', args: {} }] },
        { text: 'I see a cat.' },
        { text: 'It is grey.' },
      ]);
      const user = await client(served.url, mode);
      expect(user.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
      const { tools: offered } = await user.listTools();
      expect(offered.map(({ name }) => name)).toEqual([
        'run_team',
        'send_message',
        'answer_question',
        'cancel_run',
        'get_run',
        'list_runs',
        'list_turns',
        'get_turn',
        'why',
      ]);
      expect(offered[0]?.description).toContain('- Helper: Helps with anything.');
      // F22: abstract profiles start no runs.
      expect(offered[0]?.description).not.toContain('HouseRules');
      const notes: string[] = [];
      const first = await call(user, 'run_team', { input: 'What is there?' }, ({ message = '' }) => notes.push(message));
      expect(first.text).toMatch(/^run run_\w+: idle, 2 turns\n\nI see a cat\.\n\nIt waits\./);
      expect(first.data).toMatchObject({ status: 'idle', is_working: false, output: 'I see a cat.', pending: [] });
      expect(notes.join('\n')).toMatch(/look[\s\S]*Helper_1\.t2 began and read TOOL_RESULT/);
      const runId = String(first.data['run_id']);
      expect((await call(user, 'send_message', { run_id: runId, text: 'Which colour?' })).text).toContain('It is grey.');
      expect((await call(user, 'list_runs')).text).toContain(runId);
      expect((await call(user, 'list_turns', { run_id: runId, limit: 2 })).text).toMatch(/Helper_1\.t1[\s\S]*… and 1 more/);
      expect((await call(user, 'get_turn', { run_id: runId, turn_id: 'Helper_1.t1' })).text).toMatch(/look/);
      expect((await call(user, 'why', { run_id: runId, turn_id: 'Helper_1.t2', text: 'a cat' })).text).toMatch(/look/);
      expect((await call(user, 'cancel_run', { run_id: runId, reason: 'enough' })).text).toMatch(/: cancelled/);
      expect(await call(user, 'send_message', { run_id: runId, text: 'Hello?' })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^RUN_ENDED/),
      });
    },
  );

  it('bad calls are errors of the tool that say what is wrong', async () => {
    const { served } = await serve([]);
    const user = await client(served.url);
    const wrong = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const { isError, text } = await call(user, name, args);
      expect(isError).toBe(true);
      return text;
    };
    expect(await wrong('run_team', {})).toMatch(/TOOL_ARGUMENTS_INVALID.*input/);
    expect(await wrong('run_team', { input: 'x', profile: 'Helpr' })).toMatch(/PROFILE_UNKNOWN.*Helper/);
    expect(await wrong('get_run', { run_id: 'run_none' })).toMatch(/RUN_UNKNOWN/);
    expect(await wrong('get_run', { run_id: 'x', wait: 3 })).toMatch(/TOOL_ARGUMENTS_INVALID.*wait/);
    await expect(user.callTool({ name: 'decide_approval', arguments: {} })).rejects.toThrow(/there is no tool 'decide_approval'/);
  });

  it('a run that takes longer than the wait goes on, and is looked at later; the signal of the server ends waits', async () => {
    const { served, stop } = await serve([{ toolCalls: [{ name: 'pay', args: { amount: 3 } }] }, { text: 'Paid.' }], {
      allowDecisions: true,
    });
    const user = await client(served.url);
    const asked = await call(user, 'run_team', { input: 'Pay 3.' });
    const runId = String(asked.data['run_id']);
    expect(asked.text).toMatch(/wants to call pay with \{"amount":3\}\. A person must approve it/);
    const [pending] = asked.data['pending'] as { readonly id: string }[];
    expect((await call(user, 'decide_approval', { run_id: runId, id: pending?.id, decision: 'approve' })).text).toContain('Paid.');
    stop.abort();
    expect((await call(user, 'get_run', { run_id: runId, wait_seconds: 600 })).text).toMatch(/Paid\.|working/);
  });

  it('what waits for approval is shown whole, however long it is, and is approved only as it was shown', async () => {
    const long = `begin ${'x'.repeat(50_000)} the middle \u202e ${'y'.repeat(50_000)} end`;
    const { served } = await serve([{ toolCalls: [{ name: 'pay', args: { to: long } }] }, { text: 'Paid.' }], {
      allowDecisions: true,
    });
    const user = await client(served.url);
    const asked = await call(user, 'run_team', { input: 'Pay.' });
    expect(asked.text).toContain('x the middle \\u202e y');
    expect(asked.text).toContain('no untrusted text was read in this run');
    const [, runId, id] = /^run (\S+):[\s\S]*^(ask_\w+): /m.exec(asked.text) ?? [];
    const decide = (fingerprint: string) => call(user, 'decide_approval', { run_id: runId, id, decision: 'approve', fingerprint });
    expect(await decide('something-else')).toMatchObject({
      isError: true,
      text: expect.stringContaining('APPROVAL_CHANGED') as string,
    });
  });

  it('F85: users get the tools of their roles, and what they do is on record with their names', async () => {
    const tokenOf = (role: Role): string => `the-token-of-${role}`;
    const users = roles.map((role) => ({ name: `${role}er`, role, tokenHash: hashToken(tokenOf(role)) }));
    const { served, engine } = await serve([{ toolCalls: [{ name: 'pay', args: { amount: 3 } }] }, { text: 'Paid.' }], {
      allowDecisions: true,
      users,
    });
    const as = (role: Role): Promise<Client> => client(served.url, 'auto', { authorization: `Bearer ${tokenOf(role)}` });
    const names = Object.keys(accessTable).flatMap((name) => (name.startsWith('MCP ') ? [name.slice('MCP '.length)] : []));
    for (const role of roles) {
      const user = await as(role);
      const offered = (await user.listTools()).tools.map(({ name }) => name);
      const allowed = names.filter((name) => includesRole(role, roleFor(`MCP ${name}` as 'MCP why')));
      expect(offered.toSorted()).toEqual(allowed.toSorted());
      const refused = names.find((name) => !allowed.includes(name));
      if (refused !== undefined) expect((await call(user, refused, {})).text).toMatch(/^REQUEST_REFUSED: this needs the role/);
    }
    const asked = await call(await as('talk'), 'run_team', { input: 'Pay 3.' });
    const runId = String(asked.data['run_id']);
    const [pending] = asked.data['pending'] as { readonly id: string }[];
    await call(await as('approve'), 'decide_approval', { run_id: runId, id: pending?.id, decision: 'approve' });
    const events = await engine.records.read(runId as Run['id']);
    expect(events.find(({ type }) => type === 'run.start')).toMatchObject({ by: 'talker' });
    expect(events.find(({ type }) => type === 'tool.answer')).toMatchObject({ by: 'approveer' });
  });

  it('S7: only requests for this machine, of no other origin, to the one path, with the token when there is one', async () => {
    const { served } = await serve([], { token: 'open sesame' });
    const { port } = new URL(served.url);
    const status = (headers: Record<string, string>, where = '/mcp', method = 'POST'): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            path: where,
            method,
            headers: { 'content-type': 'application/json', ...headers },
            setHost: false,
          },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', reject);
        sent.end('{}');
      });
    const bearer = { authorization: 'Bearer open sesame' };
    const host = `127.0.0.1:${port}`;
    expect(await status({ host: `evil.example:${port}`, ...bearer })).toBe(403);
    expect(await status({ host: '127.0.0.1:1', ...bearer })).toBe(403);
    expect(await status({ host, origin: 'https://evil.example', ...bearer })).toBe(403);
    expect(await status({ host, origin: 'null', ...bearer })).toBe(403);
    expect(await status({ host })).toBe(401);
    expect(await status({ host, authorization: 'Bearer open' })).toBe(401);
    expect(await status({ host, ...bearer }, '/')).toBe(404);
    expect(await status({ host, 'content-type': 'text/plain', ...bearer })).toBeGreaterThanOrEqual(400);
    expect(await status({ host, ...bearer }, '/mcp', 'OPTIONS')).toBeGreaterThanOrEqual(400);
    const user = await client(served.url, 'auto', bearer);
    expect((await user.listTools()).tools.length).toBeGreaterThan(5);
    await expect(client(served.url)).rejects.toThrow();
  });
});

describe('cadre mcp on stdin and stdout', () => {
  it('runs a team for a real client, keeps stdout for the protocol, and ends with its input, leaving the run to be resumed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-serve-'));
    for (const name of ['profiles', 'llm_configs', 'scripts']) mkdirSync(path.join(folder, 'team', name), { recursive: true });
    mkdirSync(path.join(folder, 'docs'));
    writeFileSync(path.join(folder, 'docs', 'a.md'), '# A\n');
    writeFileSync(
      path.join(folder, 'team', 'profiles', 'helper.yaml'),
      profile.replace(/tool_access_policy.*\n/, '').replace('type: partner', 'type: partner\nllm_config_ref: m'),
    );
    writeFileSync(
      path.join(folder, 'team', 'llm_configs', 'm.yaml'),
      'name: m\ntype: llm_config\nconfig: { provider: scripted, script: scripts/s.yaml }\n',
    );
    writeFileSync(path.join(folder, 'team', 'scripts', 's.yaml'), 'rules: []\notherwise: Hello from the team.\n');
    const bin = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');
    const store = path.join(folder, 'journal.db');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        bin,
        'mcp',
        '--profiles',
        path.join(folder, 'team'),
        '--docs',
        path.join(folder, 'docs'),
        '--out',
        path.join(folder, 'out'),
        '--store',
        store,
      ],
      cwd: folder,
      stderr: 'pipe',
    });
    const user = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const garbage: Error[] = [];
    Object.assign(user, { onerror: (error: Error) => garbage.push(error) });
    await user.connect(transport);
    const { pid } = transport;
    const answer = await call(user, 'run_team', { input: 'Hello.' });
    expect(answer.text).toContain('Hello from the team.');
    await user.close();
    expect(garbage).toEqual([]);
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
    const engine = await createEngine({ profiles: path.join(folder, 'team'), store });
    closing.push(() => engine.close());
    const run = await engine.resume(String(answer.data['run_id']));
    await run.send('Again.');
    await run.settled();
    expect(run.turns()).toHaveLength(2);
  });
});
