import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { Commit, Journal } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { plainState, verifyRun } from '../support/verify-run.ts';

/** A journal whose n-th append fails, at once or later. */
function failing(at: number, how: 'throws' | 'rejects'): Journal & { readonly commits: Commit[] } {
  const inner = createMemoryJournal();
  const commits: Commit[] = [];
  return {
    commits,
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => {
      if (commits.length + 1 >= at) {
        if (how === 'rejects') return Promise.reject(new Error('ENOSPC: no space left on device'));
        throw new Error('ENOSPC: no space left on device');
      }
      commits.push(commit);
      return how === 'rejects' ? Promise.resolve(inner.append(lease, commit)) : inner.append(lease, commit);
    },
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => inner.content(hash),
    runs: () => inner.runs(),
    close: () => inner.close(),
  };
}

describe('K6: the journal cannot be written', () => {
  it.each(['throws', 'rejects'] as const)(
    'at every append in turn (%s): the run stops with a typed error, no tool runs whose intent is not written, state is what the journal says',
    async (how) => {
      for (let at = 2; at < 9; at++) {
        const store = failing(at, how);
        const started: string[] = [];
        const team = await testEngine({
          profile: waitsForUser + allow('t'),
          tools: [
            tool('t', (_args, context) => {
              started.push(context.toolCallId);
              return 'ok';
            }),
          ],
          replies: [
            {
              toolCalls: [
                { name: 't', args: {} },
                { name: 't', args: {} },
              ],
            },
            { toolCalls: [{ name: 't', args: {} }] },
            { text: 'done' },
          ],
          store,
        });
        const run = await team.launch();
        const ended = run.result.then(
          () => 'ended',
          (error: unknown) => error,
        );
        await run.settled().catch(() => undefined);
        await breathe();
        const events = store.commits.flatMap((commit) => commit.events);
        const begun = new Set(events.flatMap((event) => (event.type === 'tool.start' ? [event.callId as string] : [])));
        for (const callId of started) expect(begun).toContain(callId);
        if (run.state.status === 'awaiting' && started.length === 3 && events.some((event) => event.type === 'agent.await'))
          continue;
        expect(await ended).toMatchObject({ code: 'STORE_FAILED' });
        expect(plainState(run.state)).toEqual(plainState(foldEvents(events)));
        await expect(run.send('x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
        await expect(run.settled()).rejects.toMatchObject({ code: 'STORE_FAILED' });
      }
    },
  );

  it('a launch whose first append fails, fails with that error', async () => {
    const team = await testEngine({ replies: [{ text: 'x' }], store: failing(1, 'throws') });
    await expect(team.launch()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

describe('I12: what others throw never ends a run', () => {
  it('a subscriber that throws is noted once, and harmless', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }, { text: 'b' }] });
    const run = await team.launch();
    const seen: string[] = [];
    run.subscribe({
      onEvents: () => {
        throw new Error('my fault');
      },
      onDelta: () => {
        throw new Error('mine too');
      },
    });
    run.subscribe({
      onEvents: (events) => {
        seen.push(...events.map(({ type }) => type));
      },
    });
    await run.settled();
    await run.send('more');
    await run.settled();
    expect(seen).toContain('turn.start');
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    expect(events.filter((event) => event.type === 'note.add')).toMatchObject([{ code: 'SUBSCRIBER_FAILED' }]);
  });

  it('a transition tool that throws, returns nothing, or drafts events that cannot be, answers its call with an error and changes nothing', async () => {
    const broken = (run: () => unknown) => run as () => { kind: 'result'; content: string };
    const tools = [
      defineTransitionTool({
        name: 'throws',
        description: 'x',
        run: () => {
          throw new Error('no');
        },
      }),
      defineTransitionTool({ name: 'nothing', description: 'x', run: broken(() => undefined) }),
      defineTransitionTool({ name: 'strange', description: 'x', run: broken(() => ({ kind: 'what' })) }),
      defineTransitionTool({
        name: 'ghost',
        description: 'x',
        run: (_args, context) => ({
          kind: 'result',
          content: 'ok',
          events: [
            { type: 'state.update', scope: 'team', operation: 'set', path: 'half', value: true },
            context.item('Nobody_7' as typeof context.agent.meta.agentId, 'NEWS', 1),
          ],
        }),
      }),
    ];
    const names = tools.map(({ name }) => name);
    const team = await testEngine({
      profile: allow(...names),
      tools,
      replies: [{ toolCalls: names.map((name) => ({ name, args: {} })) }, { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(names.map(() => 'error'));
    expect(run.state.team.shared).toEqual({});
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a transition tool whose cancel throws does not keep its agent from ending', async () => {
    const question = {
      ...defineTransitionTool({
        name: 'ask',
        description: 'x',
        run: () => ({ kind: 'suspend', on: { kind: 'question', prompt: 'Well?' }, memo: null }),
      }),
      cancel: () => {
        throw new Error('no');
      },
    };
    const team = await testEngine({
      profile: allow('ask'),
      tools: [question],
      replies: [{ toolCalls: [{ name: 'ask', args: {} }] }],
    });
    const run = await team.launch();
    await run.settled();
    await run.cancel('stop');
    expect(await run.result).toMatchObject({ status: 'cancelled', error: { message: 'stop' } });
    await verifyRun(run, team.journal, {});
  });

  it('a segment that cannot be rendered is left out and recorded', async () => {
    const team = await testEngine({
      profile: `
system_prompt_construction:
  system_prompt_segments:
    - { id: good, type: static_text, order: 1, content: You work. }
    - { id: bad, type: static_text, order: 2, content: "{{ 1 / counters.turn_count }}" }
`,
      replies: [{ text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(run.turns()[0]?.systemPrompt.segments.map(({ id, error }) => [id, error?.code])).toEqual([
      ['good', undefined],
      ['bad', 'CONDITION_FAILED'],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a function node that throws, or answers strangely, is an error of its turn', async () => {
    for (const fn of [
      () => {
        throw new Error('no');
      },
      () => undefined as never,
      () => ({ text: 5 as never, toolCalls: [{ tool: 'x', args: { n: 1n as never } }] }),
    ]) {
      const team = await testEngine({ profile: 'function_node: planner', functions: { planner: fn } });
      const run = await team.launch();
      expect((await run.result).status).toBe('failed');
      await verifyRun(run, team.journal, {});
    }
  });
});
