import { readdir } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorStatuses } from '../../../src/server/http/error-statuses.ts';
import { receiveMail } from '../../../src/server/reach/receive-mail.ts';
import { tool } from '../../support/tools.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { servedTeam, serveTeam, type ServedTeam } from './served-team.ts';

type Answer = Readonly<Record<string, unknown>> & { readonly error: { readonly code: string; readonly message: string } };

/** Posts JSON and returns the status and the body. */
async function post(
  { served }: ServedTeam,
  route: string,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [number, Answer]> {
  const response = await fetch(`${served.url}/api/runs${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return [response.status, (await response.json()) as Answer];
}

/** A team whose agent waits for the user after each reply. */
const talking = { profile: waitsForUser, replies: [{ text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }] };

/** A team whose agent asks before it pays. */
const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
  tools: [
    tool('pay', ({ amount }) => `paid ${String(amount)}`, {
      parameters: { type: 'object', properties: { amount: { type: 'number' } } },
    }),
  ],
  replies: [
    {
      toolCalls: [
        { name: 'pay', args: { amount: 5 } },
        { name: 'pay', args: { amount: 6 } },
      ],
    },
    { text: 'done' },
  ],
};

async function launch(team: ServedTeam, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const [status, answer] = await post(team, '', { profile: 'Root', input: 'Go.', ...body }, headers);
  expect({ status, answer }).toMatchObject({ answer: { runId: expect.any(String) } });
  const runId = String(answer['runId']);
  await team.engine.live(runId)?.settled();
  return runId;
}

describe('[A1.13.client-messages] a run is changed over HTTP while it goes on', () => {
  it('its profiles, checked before anything holds, and its plan', async () => {
    const team = await servedTeam({ ...talking, profile: `${waitsForUser}instructions: Be brief.\n` });
    const runId = await launch(team);
    const at = `/${runId}`;
    const [bad, answer] = await post(team, `${at}/profiles`, { edits: [{ update: 'Root', with: { no_such_key: 1 } }] });
    expect([bad, answer.error.code]).toEqual([422, 'PROFILE_INVALID']);
    expect(answer.error.message).toContain('no_such_key');
    expect((await post(team, `${at}/profiles`, { edits: [] }))[0]).toBe(400);
    expect((await post(team, `${at}/profiles`, { edits: [{ update: 'Root', with: { instructions: 'Be kind.' } }] }))[0]).toBe(200);
    const actions = [{ action: 'create', name: 'first', description: 'What comes first.' }];
    expect((await post(team, `${at}/modules`, { actions }))[0]).toBe(200);
    expect((await post(team, `${at}/modules`, { actions: [{ action: 'update', module_id: 'WM_9', name: 'x' }] }))[0]).toBe(400);
    await post(team, `${at}/messages`, { text: 'more' });
    const run = team.engine.live(runId);
    await run?.settled();
    expect(run?.turns().at(-1)?.prompt.text).toContain('Be kind.');
    expect(run?.state.team.workModules['WM_1']?.name).toBe('first');
    await post(team, `${at}/cancel`);
    expect((await post(team, `${at}/profiles`, { edits: [{ disable: 'Root' }] }))[0]).toBe(409);
  });
});

describe('[A1.13.run-requests] [B.97] runs over HTTP', () => {
  it('are launched, spoken to, forked and cancelled', async () => {
    const team = await servedTeam(talking);
    const id = await launch(team, {
      input: [{ type: 'text', text: 'Hi' }],
      title: 'A talk',
      limits: { turns: 9 },
      request: { tenant: 'acme' },
    });
    expect(team.engine.live(id)?.state).toMatchObject({
      meta: { title: 'A talk', request: { tenant: 'acme' } },
      limits: { maxTurns: 9 },
    });
    expect(await post(team, '', { profile: 'Root', input: 'Go.', request: { api_key: 'x' } })).toMatchObject([
      400,
      { error: { code: 'OPTION_INVALID' } },
    ]);
    expect(await post(team, `/${id}/messages`, { text: 'more', priority: 'now' })).toMatchObject([
      202,
      { itemId: expect.any(String) },
    ]);
    await team.engine.live(id)?.settled();
    expect(team.engine.live(id)?.state.counters.turns).toBe(2);
    const [status, forked] = await post(team, `/${id}/fork`, { at: 12 });
    expect([status, forked['runId']]).toEqual([201, expect.not.stringMatching(id)]);
    // The first turn is taken again, with another message.
    const [turn] = team.engine.live(id)?.turns() ?? [];
    const edits = [{ type: 'message', itemId: turn?.inputs[0]?.itemId ?? '', payload: { prompt: 'Stay.' } }];
    const [retaken, { runId: other }] = await post(team, `/${id}/fork`, { before: turn?.turnId, profiles: 'current', edits });
    expect([retaken, (await team.engine.open(String(other))).turns()[0]?.inputs[0]?.payload]).toEqual([201, { prompt: 'Stay.' }]);
    expect(await post(team, `/${id}/resume`)).toMatchObject([200, { status: 'idle', pending: [] }]);
    expect(await post(team, `/${id}/cancel`, { reason: 'enough' })).toEqual([
      200,
      { status: 'cancelled', outcome: 'cancelled', pending: [] },
    ]);
    expect(await post(team, `/${id}/cancel`)).toMatchObject([200, { status: 'cancelled' }]);
    expect(await post(team, `/${id}/messages`, { text: 'x' })).toMatchObject([409, { error: { code: 'RUN_ENDED' } }]);
    expect(await post(team, `/${id}/resume`)).toMatchObject([409, { error: { code: 'RUN_ENDED' } }]);
  });

  it('get the limits they are launched with, and none above those of the server', async () => {
    const team = await servedTeam(talking, { launch: { limits: { turns: 5, costUsd: 2 } } });
    const limits = async (body: object): Promise<unknown> => team.engine.live(await launch(team, body))?.state.limits;
    expect(await limits({ limits: { maxTurns: 50, toolCalls: 3, costUsd: 1 } })).toMatchObject({
      maxTurns: 5,
      maxToolCalls: 3,
      maxCostUsd: 1,
    });
    expect(await limits({})).toMatchObject({ maxTurns: 5, maxCostUsd: 2 });
  });

  it('ask a person: calls are approved with other arguments, or rejected; a second verdict is told what became of it', async () => {
    const team = await servedTeam(paying);
    const id = await launch(team);
    const [one, two] = team.engine.live(id)?.pending.map((request) => request.id) ?? [];
    expect(await post(team, `/${id}/approve`, { ids: [one], args: { amount: 'x' } })).toMatchObject([
      422,
      { error: { code: 'TOOL_ARGUMENTS_INVALID' } },
    ]);
    expect(await post(team, `/${id}/approve`, { ids: [one], args: { amount: 1 } })).toMatchObject([
      200,
      { pending: [{ id: two }] },
    ]);
    expect(await post(team, `/${id}/reject`, { ids: [two], message: 'too much' })).toMatchObject([200, { pending: [] }]);
    expect(await post(team, `/${id}/approve`, { ids: [two] })).toMatchObject([404, { error: { code: 'PENDING_UNKNOWN' } }]);
    await team.engine.live(id)?.settled();
    expect(
      team.engine
        .live(id)
        ?.turns()[0]
        ?.toolInteractions.map(({ content }) => content),
    ).toEqual([expect.stringContaining('paid 1'), expect.stringContaining('too much')]);
    expect(await post(team, `/${id}/answer`, { id: 'c1', value: { a: 1 } })).toMatchObject([
      404,
      { error: { code: 'PENDING_UNKNOWN' } },
    ]);
  });

  it('that another process has are acted on there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-control-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const store = path.join(folder, 'journal.db');
    const owner = await testEngine({ store, ...paying });
    const mail = receiveMail(owner.engine);
    onTestFinished(async () => {
      mail[Symbol.dispose]();
      await owner.engine.close();
    });
    const run = await owner.launch();
    await run.settled();
    const team = await serveTeam(await testEngine({ store, ...paying }));
    const ids = run.pending.map((request) => request.id);
    expect(await post(team, `/${run.id}/resume`)).toMatchObject([409, { error: { code: 'RUN_LOCKED' } }]);
    expect(await post(team, `/${run.id}/approve`, { ids, always: true })).toMatchObject([200, { pending: [] }]);
    await run.settled();
    expect(await post(team, `/${run.id}/messages`, { text: 'x', to: 'Nobody_1' })).toMatchObject([
      404,
      { error: { code: 'AGENT_UNKNOWN' } },
    ]);
    expect(await post(team, `/${run.id}/cancel`, { reason: 'enough' })).toMatchObject([200, { status: 'cancelled' }]);
    expect(run.state.status).toBe('cancelled');
    expect(await readdir(path.join(folder, 'mail', run.id))).toEqual([]);
  });

  it('that are refused say why: what there is none of, what is not ready, what the body may hold', async () => {
    const team = await servedTeam(talking);
    const id = await launch(team);
    const refused = async (route: string, body: unknown): Promise<string> => {
      const [status, { error }] = await post(team, route, body);
      return `${status} ${error.code}: ${error.message}`;
    };
    expect(await refused('', { profile: 'Rot', input: 'x' })).toMatch(/^422 PROFILE_UNKNOWN: there is no profile 'Rot'/);
    expect(await refused('', { input: 'x', llmConfig: 'none' })).toMatch(/^422 MODEL_UNKNOWN/);
    expect(await refused('', { input: 'x', limits: { turn: 1 } })).toMatch(/^400 OPTION_INVALID: there is no limit 'turn'/);
    expect(await refused('', {})).toMatch(/^400 REQUEST_INVALID: .*the field "input" is missing/);
    expect(await refused('', { input: 'x', profil: 'Root' })).toMatch(/the field "profil" is unknown, did you mean "profile"\?/);
    expect(await refused('', { input: 'x', workspace: '/etc' })).toMatch(/the field "workspace" is unknown/);
    expect(await refused('/run_none/cancel', {})).toMatch(/^404 RUN_UNKNOWN/);
    expect(await refused('/run_none/messages', { text: 'x' })).toMatch(/^404 RUN_UNKNOWN/);
    expect(await refused('/run_none/resume', {})).toMatch(/^404 RUN_UNKNOWN/);
    expect(await refused('/run_none/fork', {})).toMatch(/^404 RUN_UNKNOWN/);
    expect(await refused(`/${id}/cancel`, { agentId: 'X_1' })).toMatch(/^404 AGENT_UNKNOWN/);
    expect(await refused(`/${id}/cancel`, { moduleId: 'W_1' })).toMatch(/^404 MODULE_UNKNOWN/);
    expect(await refused(`/${id}/messages`, { text: '', to: 3 })).toMatch(/^400 REQUEST_INVALID: .*\/text.*\/to: must be string/);
    expect(await refused(`/${id}/messages`, { text: 'x', priority: 'soon' })).toMatch(
      /must be "now" or "next" or "idle"|"now", "next", "idle"/,
    );
    expect(await refused(`/${id}/fork`, { at: 0.5 })).toMatch(/^400 REQUEST_INVALID/);
    expect(await refused(`/${id}/fork`, { edits: [{ type: 'message', itemId: 'i9' }] })).toMatch(/^400 REQUEST_INVALID/);
    expect(await refused(`/${id}/fork`, { edits: [{ type: 'file', path: '/etc' }] })).toMatch(/^400 REQUEST_INVALID/);
    expect(await refused(`/${id}/fork`, { before: 'Nobody_1.t1' })).toMatch(/the run has no turn 'Nobody_1.t1'; it has Root_1.t1/);
    expect(await refused(`/${id}/fork`, { llmConfig: 'none' })).toMatch(/^422 MODEL_UNKNOWN/);
    expect(await refused(`/${id}/resume`, { profiles: 'mine' })).toMatch(/^400 REQUEST_INVALID/);
    expect(await refused(`/${id}/approve`, { ids: [] })).toMatch(/^400 REQUEST_INVALID/);
    expect(await refused(`/${id}/cancel`, '{"reason": ')).toMatch(/^400 REQUEST_INVALID: the body of the request is not JSON/);
    expect(await refused(`/${id}/cancel`, '[]')).toMatch(/^400 REQUEST_INVALID: the body of the request must be a JSON object/);
    expect(team.engine.live(id)?.state.status).toBe('awaiting');
    await team.engine.close();
    expect(await refused('', { input: 'x' })).toMatch(/^503 ENGINE_CLOSED/);
  });

  it('every code has a status, and those of requests are no faults of the server', () => {
    for (const [code, status] of Object.entries(errorStatuses)) expect([code, status >= 400 && status < 600]).toEqual([code, true]);
    expect(errorStatuses.RUN_LOCKED).toBe(409);
  });
});

describe('a client that lost the answer asks again', () => {
  it('and launches one run by one key, also when it asks twice at once, and of another server later on', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-control-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const store = path.join(folder, 'journal.db');
    const team = await servedTeam({ store, ...talking });
    const key = { 'idempotency-key': 'launch-1' };
    const answers = await Promise.all([1, 2, 3].map(() => post(team, '', { input: 'Go.' }, key)));
    expect(answers.map(([status]) => status).toSorted()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(([, { runId }]) => runId)).size).toBe(1);
    const id = String(answers[0]?.[1]['runId']);
    await team.engine.live(id)?.settled();
    expect(await launch(team, {}, { 'idempotency-key': 'launch-2' })).not.toBe(id);
    await team.engine.close();
    const later = await serveTeam(await testEngine({ store, ...talking }));
    expect(await post(later, '', { input: 'Go.' }, key)).toEqual([200, { runId: id }]);
    expect((await later.engine.runs()).length).toBe(2);
    expect(await post(later, '', { input: 'Go.' }, { 'idempotency-key': 'x'.repeat(201) })).toMatchObject([400, {}]);
  });

  it('F63: the same key with another body is a conflict that does nothing, also for another server later on', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-control-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const store = path.join(folder, 'journal.db');
    const team = await servedTeam({ store, ...talking });
    const key = { 'idempotency-key': 'launch-1' };
    const body = { input: { prompt: 'Go.' }, title: 'Going' };
    const [, { runId }] = await post(team, '', body, key);
    // The same JSON, written in another order.
    expect(await post(team, '', { title: 'Going', input: { prompt: 'Go.' } }, key)).toEqual([200, { runId }]);
    const twice = await Promise.all(['One.', 'Two.'].map((input) => post(team, '', { input }, { 'idempotency-key': 'launch-2' })));
    expect(twice.map(([status]) => status).toSorted()).toEqual([201, 409]);
    await team.engine.live(String(runId))?.settled();
    await team.engine.close();
    const later = await serveTeam(await testEngine({ store, ...talking }));
    expect(await post(later, '', body, key)).toEqual([200, { runId }]);
    for (const other of [
      { ...body, input: 'Go on.' },
      { ...body, title: 'Other' },
      { ...body, limits: { maxTurns: 3 } },
      { input: body.input },
    ])
      expect(await post(later, '', other, key)).toMatchObject([
        409,
        {
          error: {
            code: 'REQUEST_CONFLICT',
            message: expect.stringMatching(/another request.*Send the same body/),
            details: { runId },
          },
        },
      ]);
    expect(await later.engine.runs()).toHaveLength(2);
  });

  it('F63: the same key with other words is a conflict: while they wait, when they were read, after the run has ended', async () => {
    const team = await servedTeam(talking);
    const id = await launch(team);
    const say = (text: string) => post(team, `/${id}/messages`, { text }, { 'idempotency-key': 'm1' });
    const conflict = [409, { error: { code: 'REQUEST_CONFLICT', message: expect.stringContaining('nothing was done') } }];
    const both = await Promise.all([say('more'), say('less')]);
    expect(both.map(([status]) => status).toSorted()).toEqual([202, 409]);
    await team.engine.live(id)?.settled();
    expect(await say('something else')).toMatchObject(conflict);
    expect(team.engine.live(id)?.state.counters.turns).toBe(2);
    await post(team, `/${id}/cancel`);
    expect(await say('something else')).toMatchObject(conflict);
  });

  it('and says a thing once by one key or item id: while it waits, when it was read, after the run has ended', async () => {
    const team = await servedTeam(talking);
    const id = await launch(team);
    const say = (body: object, key?: string) =>
      post(team, `/${id}/messages`, body, key === undefined ? {} : { 'idempotency-key': key });
    const first = await Promise.all([say({ text: 'more' }, 'm1'), say({ text: 'more' }, 'm1')]);
    expect(first[0]?.[1]['itemId']).toBe(first[1]?.[1]['itemId']);
    await team.engine.live(id)?.settled();
    const turns = (): unknown =>
      team.engine
        .live(id)
        ?.turns()
        .map(({ inputs }) => inputs.map(({ content }) => content));
    expect(turns()).toEqual([['Go.'], ['more']]);
    expect((await say({ text: 'more' }, 'm1'))[0]).toBe(202);
    expect((await say({ text: 'other', itemId: 'mine' }))[1]['itemId']).toBe('mine');
    await team.engine.live(id)?.settled();
    expect((await say({ text: 'other', itemId: 'mine' }))[0]).toBe(202);
    expect(await say({ text: 'other', itemId: 'i3' })).toMatchObject([400, { error: { code: 'OPTION_INVALID' } }]);
    expect(team.engine.live(id)?.state.counters.turns).toBe(3);
    await post(team, `/${id}/cancel`);
    expect((await say({ text: 'more' }, 'm1'))[0]).toBe(202);
    expect((await say({ text: 'new' }, 'm2'))[0]).toBe(409);
  });
});
