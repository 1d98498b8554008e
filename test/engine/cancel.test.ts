import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { AgentId } from '../../src/core/ids.ts';
import { assertJournal, createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { openEngine, until } from '../scenarios/scenario.ts';
import { assignment, dispatch, finish, plan, principal, worker, workers } from '../scenarios/team.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

describe('I9: cancelling', () => {
  it('[B.73] a cancelled run ends everything below, aborts its signals, waits for them, and records what comes late', async () => {
    const signals: AbortSignal[] = [];
    const slow = tool('slow', (_args, context) => {
      signals.push(context.signal);
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => setImmediate(() => reject(context.signal.reason)), { once: true });
      });
    });
    const team = await testEngine({
      profile: { Lead: allow('delegate', 'slow'), Worker: allow('slow') },
      tools: [delegate, slow],
      replies: ({ prompt }) => ({
        toolCalls: JSON.stringify(prompt).includes('task')
          ? [{ name: 'slow', args: {} }]
          : [
              { name: 'delegate', args: { to: 'Worker' } },
              { name: 'slow', args: {} },
            ],
      }),
    });
    const run = await team.launch();
    await breathe();
    expect(signals).toHaveLength(2);
    await run.cancel('enough');
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    expect(await run.result).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    await breathe();
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'agent.end').map((event) => event.agentId)).toEqual(['Worker_2', 'Lead_1']);
    expect(events.filter((event) => event.type === 'tool.late')).toHaveLength(2);
    await run.cancel('again');
    await expect(run.send('hello?')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('a tool that takes no notice gets the grace period; what it says then is recorded', async () => {
    const held = heldTool('deaf');
    const team = await testEngine({
      profile: allow('deaf'),
      tools: [held.tool],
      replies: [{ toolCalls: [{ name: 'deaf', args: {} }] }],
    });
    const run = await team.launch();
    await breathe();
    let isOver = false;
    const cancelled = run.cancel('now').then(() => {
      isOver = true;
    });
    await breathe();
    expect(isOver).toBe(false);
    await team.clock.advance(50);
    await cancelled;
    held.gates.get('deaf')?.open('too late');
    await breathe();
    const events = await verifyRun(run, team.journal, {});
    expect(events.filter((event) => event.type === 'tool.late')).toMatchObject([{ content: 'too late' }]);
  });

  it('cancelling one agent ends those below it, tells its parent, and waits for nobody else', async () => {
    const held = heldTool('other');
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate', 'other'), Worker: '' },
      tools: [delegate, held.tool],
      replies: ({ prompt }, index) =>
        JSON.stringify(prompt).includes('"task"') || JSON.stringify(prompt).includes('Task')
          ? { hang: true }
          : index === 0
            ? {
                toolCalls: [
                  { name: 'delegate', args: { to: 'Worker' } },
                  { name: 'other', args: {} },
                ],
              }
            : { text: 'noted' },
    });
    const run = await team.launch();
    await breathe();
    expect(run.state.agents.get('Worker_2' as AgentId)?.status).toBe('in_turn');
    await run.cancel('not needed', { agentId: 'Worker_2' });
    expect(run.state.outcome).toBeUndefined();
    await expect(run.send('x', { to: 'Worker_2' })).rejects.toMatchObject({ code: 'AGENT_ENDED' });
    held.gates.get('other')?.open('x');
    await run.settled();
    expect(run.turns({ agentId: 'Lead_1' })[0]?.toolInteractions[0]?.content).toContain('Worker_2 ended: cancelled');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each(['at once', 'later'])('a launch signal that is aborted %s cancels the run', async (when) => {
    const team = await testEngine({ replies: [{ hang: true }] });
    const controller = new AbortController();
    const launched = team.launch('Go.', { signal: controller.signal });
    if (when === 'at once') controller.abort();
    const run = await launched;
    await breathe();
    controller.abort();
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    await verifyRun(run, team.journal, {});
  });

  it('a launch with a signal that is aborted already starts nothing', async () => {
    const team = await testEngine({ replies: [{ text: 'x' }] });
    await expect(team.launch('Go.', { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await team.engine.runs()).toEqual([]);
  });

  it('a run that waits for a person is cancelled as well', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'hello' }] });
    const run = await team.launch();
    await run.settled();
    await run.cancel();
    expect(await run.result).toMatchObject({ status: 'cancelled', output: 'hello' });
    await verifyRun(run, team.journal, {});
  });

  it('cancelling a work module ends who works on it and all below; it leaves ongoing, its dispatcher is told, others go on', async () => {
    const dig = tool(
      'dig',
      (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const engine = await openEngine({
      yaml: [principal, worker.replace('tool_access_policy: {', 'tool_access_policy: { allowed_individual_tools: [dig],')],
      models: {
        principal: scriptedModel([
          plan('soil', 'water'),
          dispatch(assignment('WM_1', 'Dig deep.'), assignment('WM_2')),
          finish('Half done.'),
        ]),
        worker: workers({ 'Dig deep': { toolCalls: [{ name: 'dig', args: {} }] } }),
      },
      tools: [dig],
    });
    const run = await engine.launch({ profile: 'Principal', input: 'Go.' });
    await until(() => run.state.activity === 1 && run.state.team.workModules['WM_2']?.status === 'pending_review');
    await expect(run.cancel('no', { moduleId: 'WM_9' })).rejects.toMatchObject({ code: 'MODULE_UNKNOWN' });
    await run.cancel('not needed', { moduleId: 'WM_1' });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(run.state.team.workModules).toMatchObject({
      WM_1: {
        status: 'pending_review',
        assignee_history: [{ outcome: 'cancelled' }],
        review_info: { error_details: { message: 'not needed' } },
      },
      WM_2: { status: 'pending_review', assignee_history: [{ outcome: 'completed_success' }] },
    });
    const events: CadreEvent[] = [];
    for await (const event of run) events.push(event);
    assertJournal(events);
    await run.cancel('again', { moduleId: 'WM_1' });
  });

  it('a call that waits for approval is answered; who approves afterwards is told that nothing waits', async () => {
    const gates = 'tool_gates: [{ id: ask, tools: [t], verdict: ask }]';
    const team = await testEngine({
      profile: allow('t') + gates,
      tools: [tool('t', () => 'never')],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }],
    });
    const run = await team.launch();
    await run.settled();
    const id = run.pending[0]?.id ?? '';
    await Promise.all([run.cancel('no'), run.cancel('no, really')]);
    await expect(run.approve(id)).rejects.toMatchObject({ code: 'PENDING_UNKNOWN' });
    expect(run.turns()[0]).toMatchObject({ status: 'cancelled', toolInteractions: [{ status: 'cancelled' }] });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('an agent that has ended is cancelled once more without a word', async () => {
    const team = await testEngine({
      profile: { Lead: waitsForUser + allow('delegate'), Worker: '' },
      tools: [delegate],
      replies: [{ toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] }, { text: 'worked' }, { text: 'noted' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.cancel('too late', { agentId: 'Worker_2' });
    expect(run.state.agents.get('Worker_2' as AgentId)?.result.outcome).toBe('success');
    await expect(run.cancel('x', { agentId: 'Nobody_7' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a run is cancelled while it is being resumed', async () => {
    const journal = createMemoryJournal();
    const first = await testEngine({ store: journal, replies: [{ hang: true }] });
    const { id } = await first.launch();
    await first.engine.close();
    const second = await testEngine({ store: journal, replies: [{ hang: true }] });
    const controller = new AbortController();
    const resuming = second.engine.resume(id, { signal: controller.signal });
    controller.abort();
    const run = await resuming;
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    await breathe();
    await verifyRun(run, journal, {});
  });
});
