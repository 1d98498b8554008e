import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import type { CadreEvent, Run } from '../../../src/index.ts';
import { formatTurn } from '../../../src/inspect/format/turn/format-turn.ts';
import { createTelemetry } from '../../../src/otel/create-telemetry.ts';
import { hashToken } from '../../../src/server/access/users.ts';
import type { Role } from '../../../src/core/roles.ts';
import { tool } from '../../support/tools.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { closeAfter, servedTeam, type ServedTeam } from '../http/served-team.ts';

const tokenOf = (name: string): string => `the-token-of-${name}-here`;
const user = (name: string, role: Role) => ({ name, role, tokenHash: hashToken(tokenOf(name)) });
const users = [user('alice', 'approve'), user('bob', 'talk'), user('olga', 'operate')];

const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: money, tools: [pay], verdict: ask }]
`,
  tools: [tool('pay', () => 'paid')],
  replies: [
    { toolCalls: [{ name: 'pay', args: { to: 'Ada' } }] },
    { text: 'Paid.' },
    { toolCalls: [{ name: 'pay', args: { to: 'Ben' } }] },
    { text: 'Not paid.' },
    { text: 'Well.' },
    { text: 'Well.' },
    { text: 'Well.' },
  ],
};

/** Sends a request as a person; returns its status and answer. */
async function as(
  name: string,
  { served }: ServedTeam,
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> }> {
  const response = await fetch(served.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, answer: text.startsWith('{') ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {} };
}

const eventsOf = async ({ engine }: ServedTeam, runId: string): Promise<readonly CadreEvent[]> =>
  await engine.records.read(runId as Run['id']);

/** The people whom the events of one type name. */
const by = (events: readonly CadreEvent[], type: CadreEvent['type']): readonly unknown[] =>
  events.flatMap((event) => (event.type === type ? [event.type === 'inbox.add' ? event.item.by : Reflect.get(event, 'by')] : []));

/** A run that bob launched and that waits for an approval. */
async function asked(): Promise<{ readonly team: ServedTeam; readonly run: Run; readonly at: string }> {
  const team = await servedTeam(paying, { users });
  const { answer } = await as('bob', team, '/api/runs', { input: 'Pay.' });
  const run = team.engine.live(String(answer['runId']));
  if (run === undefined) throw new Error('the run is not here');
  await run.settled();
  return { team, run, at: `/api/runs/${run.id}` };
}

describe('F85: who did it', () => {
  it('is on record with each decision, and every view of it says so', async () => {
    const { team, run, at } = await asked();
    const [request] = run.pending;
    const fingerprint = request?.fingerprint ?? '';
    expect((await as('alice', team, `${at}/approve`, { ids: [request?.id], fingerprint })).status).toBe(200);
    await run.settled();
    expect((await as('bob', team, `${at}/messages`, { text: 'Once more.' })).status).toBe(202);
    await run.settled();
    expect((await as('alice', team, `${at}/reject`, { ids: [run.pending[0]?.id], message: 'no' })).status).toBe(200);
    await run.settled();
    const events = await eventsOf(team, run.id);
    expect(by(events, 'run.start')).toEqual(['bob']);
    expect(by(events, 'tool.answer')).toEqual(['alice', 'alice']);
    expect(by(events, 'inbox.add').filter((name) => name !== undefined)).toEqual(['bob', 'bob']);

    const headers = { authorization: `Bearer ${tokenOf('alice')}` };
    const [first, , third] = run.turns();
    expect(await team.get(`${at}/turns/${first?.turnId}`, 200, headers)).toMatchObject({
      inputs: [{ by: 'bob' }],
      toolInteractions: [{ approved: true, verdict: { verdict: 'approved', by: 'alice' } }],
    });
    if (first === undefined || third === undefined) throw new Error('the turns are missing');
    expect(formatTurn(first)).toMatch(/from bob[^]*approved by alice/);
    expect(formatTurn(third)).toMatch(/from bob[^]*rejected by alice/);
    const origin = run.why(first.turnId, 'Pay.').flatMap(({ causes }) => causes.map(({ text }) => text));
    expect(origin.join('\n')).toMatch(/USER_PROMPT reached Root_1 from bob[^]*the run began with profile Root by bob/);
    expect(await team.get(`${at}/timeline`, 200, headers)).toMatchObject({
      lanes: [
        {
          bars: expect.arrayContaining([
            expect.objectContaining({ calls: [expect.objectContaining({ decided: 'approved by alice' })] }),
          ]),
        },
      ],
    });
    expect(await team.get(at, 200, headers)).toMatchObject({ by: 'bob' });
    expect(await team.get(`${at}/conversation`, 200, headers)).toMatchObject([{ kind: 'user', by: 'bob' }, {}, { by: 'bob' }, {}]);
    const bundle = (await team.get(`${at}/export.json`, 200, headers)) as { readonly events: readonly CadreEvent[] };
    expect(by(bundle.events, 'tool.answer')).toEqual(['alice', 'alice']);
    expect(await run.recording()).toMatch(/"kind":"verdict".*"by":"alice"/);

    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const telemetry = await createTelemetry({ tracerProvider });
    await run.cancel('enough', { by: 'olga' });
    telemetry.export(await eventsOf(team, run.id));
    const spans = exporter.getFinishedSpans();
    const call = spans.find(({ name }) => name === 'execute_tool pay');
    expect(call?.events.find(({ name }) => name === 'cadre.tool.answer')?.attributes).toMatchObject({ 'cadre.by': 'alice' });
    expect(spans.find(({ name }) => name.startsWith('invoke_workflow'))?.attributes).toMatchObject({
      'cadre.by': 'bob',
      'cadre.ended_by': 'olga',
    });
    expect(spans.find(({ name }) => name === 'turn')?.attributes).toMatchObject({ 'cadre.turn.by': ['bob'] });
  });

  it('is on record with every other action', async () => {
    const { team, run, at } = await asked();
    const done = async (path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> => {
      const { status, answer } = await as('olga', team, path, body);
      expect({ path, status }).toEqual({ path, status: expect.toSatisfy((code) => code < 300) });
      return answer;
    };
    await done(`${at}/note`, { title: 'tone', content: 'Be kind.' });
    await done(`${at}/profiles`, { edits: [{ update: 'Root', with: { instructions: 'Be kind.' } }] });
    await done(`${at}/modules`, { actions: [{ action: 'create', name: 'a', description: 'b' }] });
    const { runId } = await done(`${at}/fork`, { at: 1 });
    await done(`${at}/cancel`, {});
    const events = await eventsOf(team, run.id);
    expect(by(events, 'profiles.update')).toEqual(['olga']);
    expect(by(events, 'agent.end')).toEqual(['olga']);
    expect(by(events, 'run.end')).toEqual(['olga']);
    const patches = events.filter((event) => event.type === 'state.patch' && event.by === 'person');
    expect(patches.length).toBeGreaterThanOrEqual(2);
    for (const patch of patches) expect(patch).toMatchObject({ person: 'olga' });
    expect(events.find((event) => event.type === 'inbox.add' && event.item.source === 'WORK_MODULES_EDITED')).toMatchObject({
      item: { by: 'olga' },
    });
    const forked = await eventsOf(team, String(runId));
    expect(by(forked, 'run.start')).toEqual(['olga']);
    expect(by(forked, 'run.resume')).toEqual(['olga']);
    await team.engine.live(String(runId))?.settled();
    await done(`/api/runs/${String(runId)}/cancel`, {});
  });

  it('cannot be chosen by a request', async () => {
    const { team, run, at } = await asked();
    const before = run.state.seq;
    for (const [path, body] of [
      [`${at}/approve`, { ids: [run.pending[0]?.id], by: 'olga' }],
      [`${at}/reject`, { ids: [run.pending[0]?.id], by: 'olga' }],
      [`${at}/messages`, { text: 'x', by: 'olga' }],
      ['/api/runs', { input: 'x', by: 'olga' }],
    ] as const)
      expect(await as('alice', team, path, body)).toMatchObject({ status: 400, answer: { error: { code: 'REQUEST_INVALID' } } });
    expect(run.state.seq).toBe(before);
  });

  it('two people: the first decides, and the second learns who did', async () => {
    const { team, run, at } = await asked();
    const ids = [run.pending[0]?.id];
    expect((await as('alice', team, `${at}/approve`, { ids })).status).toBe(200);
    const late = await as('olga', team, `${at}/reject`, { ids });
    expect(late).toMatchObject({ status: 404, answer: { error: { code: 'PENDING_UNKNOWN' } } });
    expect(JSON.stringify(late.answer)).toContain('approved by alice');
    expect(by(await eventsOf(team, run.id), 'tool.answer')).toEqual(['alice']);
  });

  it('in a chat and over AG-UI, it is whoever sends the request', async () => {
    const team = await servedTeam(paying, { users });
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] };
    await as('bob', team, '/api/chat', { id: 'chat-1', messages: [message] });
    const [summary] = await team.engine.runs();
    const run = await team.engine.open(summary?.runId ?? '');
    await run.settled();
    const resume = [{ interruptId: run.pending[0]?.id, status: 'resolved', payload: { approved: true } }];
    const input = { threadId: 'chat-1', runId: 'r1', messages: [], resume, tools: [], context: [], state: {} };
    expect((await as('alice', team, '/ag-ui', input)).status).toBe(200);
    await run.settled();
    const events = await eventsOf(team, run.id);
    expect(by(events, 'run.start')).toEqual(['bob']);
    expect(by(events, 'tool.answer')).toEqual(['alice']);
  });

  it('a message that would let an agent pass a checkpoint is a verdict: who may only talk cannot send it', async () => {
    const profile =
      'tool_access_policy: { allowed_individual_tools: [pay] }\ncheckpoints: [{ id: look, after_turns: 1, message: Go on? }]\n';
    const replies = [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }];
    const team = await servedTeam({ profile, tools: paying.tools, replies }, { users });
    const { answer } = await as('bob', team, '/api/runs', { input: 'Go.' });
    const run = team.engine.live(String(answer['runId']));
    await run?.settled();
    expect(run?.pending).toMatchObject([{ kind: 'question', tool: '' }]);
    const say = async (name: string) => await as(name, team, `/api/runs/${run?.id ?? ''}/messages`, { text: 'Go on.' });
    expect(await say('bob')).toMatchObject({ status: 403, answer: { error: { details: { needed: 'approve' } } } });
    expect(run?.pending).toHaveLength(1);
    expect((await say('alice')).status).toBe(202);
  });

  it('from code it is who the program names; a name is one line; without one, views say that code did it', async () => {
    const { engine, launch } = await testEngine(paying);
    closeAfter(engine);
    const run = await launch('Pay.', { by: 'carol' });
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    for (const wrong of ['', ' ', 'a\nb', 'x'.repeat(201), '\u202eeve'])
      await expect(run.approve(id, { by: wrong })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await run.approve(id);
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]?.verdict).toEqual({
      verdict: 'approved',
      at: expect.any(Number),
      seq: expect.any(Number),
    });
    const [first] = run.turns();
    if (first === undefined) throw new Error('the turn is missing');
    expect(formatTurn(first)).toContain('approved by code');
    await run.send('More.', { by: 'dora' });
    await run.settled();
    await run.reject(run.pending[0]?.id ?? '', { by: 'erin' });
    await run.settled();
    const fork = await engine.fork(run.id, { by: 'finn' });
    const events = await engine.records.read(run.id);
    expect(by(events, 'run.start')).toEqual(['carol']);
    expect(by(events, 'tool.answer')).toEqual([undefined, 'erin']);
    expect(by(await engine.records.read(fork.id), 'run.start')).toEqual(['finn']);
    await engine.cancel(run.id, 'enough', { by: 'gina' });
    expect(run.state.endedBy).toBe('gina');
  });
});
