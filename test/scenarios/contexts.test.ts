import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { Flow } from '../../src/nodes/turn/node.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { agentOf, openEngine, play, speaks, storePath, until } from './scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, refused, worker, workers } from './team.ts';

const yaml = [partner, principal, worker];

async function teamRun() {
  return await play({
    yaml,
    models: {
      partner: speaks(plan('goal'), launch(), 'Begun.', 'Here.'),
      principal: speaks(dispatch(assignment('WM_1')), finish('Report.')),
      worker: workers(),
    },
    input: 'Which tea?\nAnd why?',
  });
}

describe('A1.7 contexts and flows', () => {
  it('[A1.7.run-context] a run has id, title, status, times, its profiles by content hash, usage and limits', async () => {
    const run = await teamRun();
    expect(run.state.meta).toMatchObject({
      runId: run.id,
      profile: 'Partner',
      title: 'Which tea?',
      input: { prompt: 'Which tea?\nAnd why?' },
      createdAt: expect.any(Number),
      profiles: expect.any(String),
    });
    expect(run.state).toMatchObject({ status: 'awaiting', usage: { modelCalls: 7 }, limits: { maxTurns: 1_000 } });
    await run.cancel('enough');
    expect(run.state).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect(await run.result).toMatchObject({ status: 'cancelled', outcome: 'cancelled', usage: { modelCalls: 7 } });
  });

  it('[A1.7.team-state] [B.54] modules, dispatch history, shared values and whether the principal runs are one state for all', async () => {
    const run = await teamRun();
    expect(run.state.team).toMatchObject({
      workModules: { WM_1: { name: 'goal' } },
      dispatchHistory: [{ module_id: 'WM_1', agent_id: 'Worker_3' }],
      shared: {},
    });
    const reads = `
name: Reader
type: associate
llm_config_ref: m
instructions: "{{ team.question.prompt }} {{ size(team.agents) }} {{ team.is_principal_flow_running }}"
`;
    const model = speaks('ok');
    await play({ yaml: [reads], models: { m: model }, input: 'Hm?' });
    const [system] = model.requests[0]?.prompt ?? [];
    expect(system?.content).toBe('Hm? 1 false');
  });

  it('[A5.run-config] [A1.7.sub-context] [B.55] each agent has messages, inbox, flags, deliverables and parameters of its own', async () => {
    const run = await teamRun();
    const child = agentOf(run, 'Worker');
    expect(child).toMatchObject({
      status: 'ended',
      result: { outcome: 'success' },
      inbox: { items: [expect.anything()] },
      flags: {},
      deliverables: { primary_summary: 'Worked.' },
      work: { iteration: 1 },
      turn: { lastId: 'Worker_3.t1' },
    });
    expect(child.initialParams).toMatchObject({ module_id_to_assign: 'WM_1' });
    expect(child.history.messages).not.toEqual(agentOf(run, 'Principal').history.messages);
    expect(JSON.stringify(run.state.agents.get(child.meta.agentId))).not.toContain('AbortController');
  });

  it('[A1.7.run-once] [B.5] principal and associate run once until they end; one cut off is cancelled, with everything below', async () => {
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.'),
        principal: speaks(dispatch(assignment('WM_1'))),
        worker: workers({ 'Do it.': { hang: true } }),
      },
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await until(() =>
      [...run.state.agents.values()].some((agent) => agent.meta.profile === 'Worker' && agent.status === 'in_turn'),
    );
    await run.cancel('stop');
    expect([...run.state.agents.values()].map((agent) => agent.result.outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(run.state.team.workModules['WM_1']?.status).toBe('pending_review');
    expect(run.turns().every((turn) => turn.status !== 'running')).toBe(true);
  });

  it('[A2.1.states] [A3.flow-executor] [A1.7.result-package] [B.5] [B.9] status, outcome, output, deliverables, usage and error', async () => {
    const good = await play({
      yaml: [principal],
      models: { principal: speaks(finish('Report.', { pages: 3 })) },
      profile: 'Principal',
    });
    expect(await good.result).toMatchObject({
      runId: good.id,
      status: 'completed',
      outcome: 'success',
      output: 'Report.',
      deliverables: { pages: 3 },
      usage: { modelCalls: 1 },
    });
    const bad = await play({ yaml: [principal], models: { principal: scriptedModel([refused]) }, profile: 'Principal' });
    expect(await bad.result).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: { message: expect.stringContaining('not today') },
    });
  });

  it('[A1.7.nodes] [B.4] a flow routes by action; an edge given twice is a mistake', () => {
    const flow = new Flow().on('agent', 'continue_with_tool', 'tool').on('tool', 'default', 'agent');
    expect(flow.next('agent', 'continue_with_tool')).toBe('tool');
    expect(() => flow.on('tool', 'default', 'agent')).toThrow(/already/);
  });

  it('[A5.factory] [A1.7.nodes] [B.34] a function may stand in a model’s place, by the same prep and post', async () => {
    const profile = 'name: Counter\ntype: associate\ninstructions: x\nfunction_node: count\n';
    const run = await play({
      yaml: [profile],
      models: {},
      functions: { count: ({ messages }) => ({ text: `I saw ${messages.length} messages.` }) },
    });
    expect(run.turns()[0]).toMatchObject({ reply: { text: 'I saw 2 messages.', modelId: 'function:count' } });
    expect(run.state.output).toBe('I saw 2 messages.');
  });

  it('[A1.7.state-dump] [B.85] the whole state can be had again from the journal, event by event, in another process too', async () => {
    const store = await storePath();
    const engine = await openEngine({
      yaml,
      models: {
        partner: speaks(plan('goal'), launch(), 'Begun.', 'Here.'),
        principal: speaks(finish('Report.')),
        worker: workers(),
      },
      store,
    });
    const run = await engine.launch({ profile: 'Partner', input: 'Go.' });
    await run.settled();
    await run.cancel('done');
    const events: CadreEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    const folded = foldEvents(events);
    expect(folded?.agents).toEqual(run.state.agents);
    expect(folded?.team).toEqual(run.state.team);
    await engine.close();
    const other = await openEngine({ yaml, models: { partner: speaks(), principal: speaks(), worker: workers() }, store });
    const read = await other.open(run.id);
    expect(read.turns().map((turn) => [turn.turnId, turn.status, turn.prompt.text])).toEqual(
      run.turns().map((turn) => [turn.turnId, turn.status, turn.prompt.text]),
    );
  });

  it('[D1.24] a waiting run is taken up in another process and goes on, the principal’s report included', async () => {
    const store = await storePath();
    const first = await openEngine({
      yaml,
      models: { partner: speaks(plan('goal'), launch(), 'Begun.'), principal: scriptedModel([{ hang: true }]), worker: workers() },
      store,
      graceMs: 10,
    });
    const run = await first.launch({ profile: 'Partner', input: 'Go.' });
    await until(() => run.state.agents.size === 2 && agentOf(run, 'Partner').status === 'awaiting_input');
    await first.close();
    const second = await openEngine({
      yaml,
      models: { partner: speaks('Here it is.', 'Bye.'), principal: speaks(finish('Report.')), worker: workers() },
      store,
    });
    const resumed = await second.resume(run.id);
    await resumed.settled();
    expect(resumed.turns().at(-1)).toMatchObject({ profile: 'Partner', reply: { text: 'Here it is.' } });
    await resumed.send('Bye.');
    await resumed.settled();
    expect(resumed.turns().at(-1)?.reply.text).toBe('Bye.');
    const seqs = [];
    for await (const event of resumed.events({ signal: AbortSignal.timeout(50) })) seqs.push(event.seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('[A1.7.run-once] the launch signal cancels a run, too', async () => {
    const abort = new AbortController();
    const engine = await openEngine({ yaml: [principal], models: { principal: scriptedModel([{ hang: true }]) } });
    const run = await engine.launch({ profile: 'Principal', input: 'Go.' }, { signal: abort.signal });
    abort.abort();
    expect(await run.result).toMatchObject({ status: 'cancelled' });
  });
});
