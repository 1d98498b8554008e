import { describe, expect, it } from 'vitest';
import { accessTable, type AccessName, roleFor } from '../../../src/server/access/access-table.ts';
import { includesRole, type Role, roles } from '../../../src/core/roles.ts';
import { hashToken } from '../../../src/server/access/users.ts';
import { createServerApp } from '../../../src/server/index.ts';
import { tool } from '../../support/tools.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { closeAfter, servedTeam, type ServedTeam } from '../http/served-team.ts';

const tokenOf = (role: Role): string => `the-token-of-${role}-people`;
const users = roles.map((role) => ({ name: `${role}er`, role, tokenHash: hashToken(tokenOf(role)) }));

const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
  tools: [tool('pay', () => 'paid')],
  replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'done' }],
};

const routes = (Object.keys(accessTable) as AccessName[]).filter((name) => !name.startsWith('MCP '));

/** Status of an answer, and the role it says is needed. */
interface Answered {
  readonly status: number;
  readonly needed: unknown;
}

async function ask({ served }: ServedTeam, role: Role, route: string, body: unknown = {}): Promise<Answered> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(served.url + path.replace(':id', 'run_none').replace(':turnId', 't1').replace(':name', 'x.js'), {
    method,
    headers: { authorization: `Bearer ${tokenOf(role)}`, accept: 'application/json', 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  });
  const text = response.headers.get('content-type')?.includes('json') === true ? await response.text() : '';
  await response.body?.cancel().catch(() => undefined);
  const error = text.startsWith('{"error"') ? (JSON.parse(text) as { error: { details?: { needed?: unknown } } }).error : {};
  return { status: response.status, needed: 'details' in error ? error.details?.needed : undefined };
}

describe('F85: roles', () => {
  it('stand in one table, which has every route of the app and no other', async () => {
    const { engine } = await testEngine();
    closeAfter(engine);
    const served = createServerApp(engine)
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(served)].toSorted()).toEqual(routes.toSorted());
  });

  it.each(routes)('%s answers who has its role, and nobody below', async (route) => {
    const team = await servedTeam({}, { users });
    for (const role of roles) {
      const { status, needed } = await ask(team, role, route);
      const isAllowed = includesRole(role, roleFor(route));
      expect({ role, needed }).toEqual({ role, needed: isAllowed ? undefined : roleFor(route) });
      if (!isAllowed) expect(status).toBe(403);
      else expect([401]).not.toContain(status);
    }
  });

  it('what a launch may cost and which model it uses is for operators; a conversation is for everyone who may talk', async () => {
    const team = await servedTeam({ replies: [{ text: 'hi' }] }, { users });
    expect(await ask(team, 'talk', 'POST /api/runs', { input: 'x', title: 'mine' })).toMatchObject({ status: 201 });
    for (const more of [{ limits: { turns: 1 } }, { llmConfig: 'other' }, { request: { tenant: 'b' } }])
      expect(await ask(team, 'approve', 'POST /api/runs', { input: 'x', ...more })).toEqual({ status: 403, needed: 'operate' });
    expect(await ask(team, 'operate', 'POST /api/runs', { input: 'x', limits: { turns: 1 } })).toMatchObject({ status: 201 });
  });

  it('a chat carries messages of who may talk, and verdicts only of who may approve', async () => {
    const team = await servedTeam(paying, { users });
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] };
    expect(await ask(team, 'talk', 'POST /api/chat', { id: 'chat-1', messages: [message] })).toMatchObject({ status: 200 });
    const [summary] = await team.engine.runs();
    const run = await team.engine.open(summary?.runId ?? '');
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    const part = {
      type: 'tool-pay',
      toolCallId: id,
      state: 'approval-responded',
      input: {},
      approval: { id, approved: true },
    };
    const answer = { id: 'chat-1', messages: [message, { id: 'm2', role: 'assistant', parts: [part] }] };
    expect(await ask(team, 'talk', 'POST /api/chat', answer)).toEqual({ status: 403, needed: 'approve' });
    const resume = [{ interruptId: id, status: 'resolved', payload: { approved: true } }];
    const input = { threadId: 'chat-1', runId: 'r1', messages: [], resume, tools: [], context: [], state: {} };
    expect(await ask(team, 'talk', 'POST /ag-ui', input)).toEqual({ status: 403, needed: 'approve' });
    expect(run.pending).toHaveLength(1);
  });

  it('a read-only server refuses changes to every role', async () => {
    const team = await servedTeam({}, { users, readOnly: true });
    for (const route of routes.filter((name) => name.startsWith('POST ')))
      expect(await ask(team, 'operate', route)).toMatchObject({ status: 403 });
  });

  it('the page learns who asks', async () => {
    const team = await servedTeam({}, { users });
    const headers = { authorization: `Bearer ${tokenOf('talk')}` };
    expect(await team.get('/api/info', 200, headers)).toMatchObject({ you: { name: 'talker', role: 'talk' } });
    const open = await servedTeam();
    expect(await open.get('/api/info')).toMatchObject({ you: { name: 'anyone', role: 'operate' } });
    const token = 'a-token-nobody-guesses';
    const owned = await servedTeam({}, { token });
    expect(await owned.get('/api/info', 200, { authorization: `Bearer ${token}` })).toMatchObject({
      you: { name: 'owner', role: 'operate' },
    });
  });
});
