import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSignature } from '../../src/core/fold/streaks.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { loadProfiles } from '../../src/index.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const same = { toolCalls: [{ name: 't', args: { n: 1 } }] };
const t = tool('t', () => 'as ever', { effect: 'pure' });

/** How many times in a row the newest cycle of one to four repeats beyond its first run, read off the whole list. */
function repeats(signatures: readonly string[]): number {
  let best = 0;
  for (let length = 1; length <= 4; length++) {
    let matched = 0;
    for (let index = signatures.length - 1; index >= length && signatures[index] === signatures[index - length]; index--) matched++;
    best = Math.max(best, Math.floor(matched / length));
  }
  return best;
}

describe('cycles', () => {
  it('property: are counted from the last four turns as from the whole history', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), (list) => {
        const agent = {
          streaks: { signatures: [], cycleMatches: [] },
          counters: { sameActionSameResultStreak: 0 },
        } as unknown as SubContext;
        list.forEach((signature, index) => {
          countSignature(agent, signature);
          expect(agent.counters.sameActionSameResultStreak).toBe(repeats(list.slice(0, index + 1)));
        });
        expect(agent.streaks.signatures.length).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe('[A4.1.run] the default ladder', () => {
  it('[A2.1.stuck-state] [A4.3.loop-prevention] [B.74] nudges, forbids the tool for a turn, and ends an agent that does the same for ever', async () => {
    const team = await testEngine({ profile: allow('t'), tools: [t], replies: () => same });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'stagnation', error: { code: 'STAGNATION' } });
    const events = await verifyRun(run, team.journal, { requests: team.model.requests });
    const acts = events.flatMap((event) => (event.type === 'stagnation.act' ? [[event.rung, event.count]] : []));
    expect(acts[0]).toEqual(['default_nudge', 3]);
    expect(acts[1]).toEqual(['default_forbid', 5]);
    expect(acts.at(-1)).toEqual(['default_end', 10]);
    const error = run.state.error?.message ?? '';
    expect(error).toContain('The same was done 11 times');
    expect(error).toContain('- t({"n":1}) → ');
    // The turn after `default_forbid` was not offered the tool, and its call was refused.
    const bare = team.model.requests.findIndex(({ tools }) => (tools ?? []).length === 0);
    expect(bare).toBe(6);
    expect(run.turns()[bare]?.toolInteractions).toMatchObject([{ status: 'denied', error: { code: 'TOOL_DENIED' } }]);
    expect(run.turns().length).toBeLessThan(50);
    // Each rung is on the record of the turn it was climbed before.
    const escalations = run
      .turns()
      .flatMap((turn, index) => turn.escalations.map((climbed) => [index, climbed.rung, climbed.tools]));
    expect(escalations.slice(0, 2)).toEqual([
      [4, 'default_nudge', undefined],
      [6, 'default_forbid', ['t']],
    ]);
    const told = run.turns()[6];
    expect(told && formatTurn(told)).toContain('default_forbid: forbid_tool t (same_action_same_result_streak 5, from 5 on)');
    await team.engine.close();
  });

  it('sees cycles of two', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [t],
      replies: (request) => ({
        toolCalls: [{ name: 't', args: { n: request.prompt.filter(({ role }) => role === 'assistant').length % 2 } }],
      }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'stagnation' });
    await team.engine.close();
  });

  it('lets a tool that polls be called as often as it takes', async () => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [tool('t', () => 'not yet', { effect: 'pure', polls: true })],
      replies: (request) => (request.prompt.length < 60 ? same : { text: 'ready' }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'ready' });
    expect(run.state.agents.get(run.state.rootAgentId ?? ('' as never))?.counters.sameActionSameResultStreak).toBe(0);
    await team.engine.close();
  });

  it('counts anew after a person has spoken', async () => {
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [t],
      replies: (request) => (request.prompt.at(-1)?.role === 'user' ? same : { text: 'as ever' }),
    });
    const run = await team.launch();
    for (let round = 0; round < 15; round++) {
      await run.settled();
      await run.send('and now?');
    }
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    expect((await team.journal.read(run.id)).some(({ type }) => type === 'stagnation.act')).toBe(false);
    await verifyRun(run, team.journal, { requests: team.model.requests });
    await team.engine.close();
  });
});

describe('a ladder of a profile', () => {
  it('asks a person, waits, and goes on with the answer, also in another engine', async () => {
    const options = {
      profile: `${allow('t')}stagnation: [{ id: ask, at: 1, action: { type: ask_human, message: Which way? } }]`,
      tools: [t],
    };
    const journal = createMemoryJournal();
    const store = { ...handles(journal), close: () => undefined };
    const first = await testEngine({ ...options, replies: () => same, store });
    const before = await first.launch();
    await before.settled();
    expect(before.pending).toMatchObject([
      { kind: 'question', agentId: 'Root_1', tool: '', message: expect.stringContaining('Which way?') },
    ]);
    await first.engine.close();
    const ids = countingIds();
    const second = await testEngine({
      ...options,
      replies: [{ text: 'thank you' }],
      store,
      ids: { runId: () => `o_${ids.runId()}` as never, itemId: () => `o_${ids.itemId()}` as never },
    });
    const run = await second.engine.resume(before.id);
    await run.settled();
    const { id = '' } = before.pending[0] ?? {};
    await run.answer(id, 'left');
    await expect(run.answer(id, 'right')).rejects.toMatchObject({
      code: 'PENDING_UNKNOWN',
      message: expect.stringMatching(/was answered "left" at 20/),
    });
    expect(await run.result).toMatchObject({ status: 'completed', output: 'thank you' });
    expect(JSON.stringify(second.model.requests[0]?.prompt.at(-1))).toContain('left');
    await verifyRun(run, journal, { requests: [...first.model.requests, ...second.model.requests] });
    await second.engine.close();
  });

  it('speaks with another model until the streak breaks', async () => {
    const team = await testEngine({
      profile: `${allow('t')}stagnation: [{ id: stronger, at: 1, action: { type: switch_llm_config, llm_config: strong } }]`,
      tools: [t],
      replies: [same, same, { text: 'done' }],
      models: {
        strong: (await import('../../src/testing/index.ts')).scriptedModel([{ toolCalls: [{ name: 't', args: { n: 2 } }] }]),
      },
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ output: 'done' });
    expect(run.turns().map(({ attempts }) => attempts[0]?.config)).toEqual(['m', 'm', 'strong', 'm']);
    await team.engine.close();
  });

  it('climbs each rung again when a new streak begins, and is off when told so', async () => {
    const replies = (request: { readonly prompt: readonly { readonly role: string }[] }) => {
      const done = request.prompt.filter(({ role }) => role === 'assistant').length;
      return done === 7 ? { text: 'done' } : { toolCalls: [{ name: 't', args: { n: done === 3 ? 99 : 1 } }] };
    };
    const count = async (stagnation: string): Promise<number> => {
      const team = await testEngine({ profile: `${allow('t')}${stagnation}`, tools: [t], replies });
      const run = await team.launch();
      await run.result;
      const events = await verifyRun(run, team.journal, { requests: team.model.requests });
      await team.engine.close();
      return events.filter(({ type }) => type === 'stagnation.act').length;
    };
    expect(await count('stagnation: [{ id: n, at: 2, action: { type: nudge, message: again } }]')).toBe(2);
    expect(await count('stagnation: off')).toBe(0);
  });

  it('[A2.1.is-stuck] ends an agent that only repeats its words', async () => {
    const team = await testEngine({
      profile: `stagnation: [{ id: e, on: duplicate_reply_streak, at: 2, action: { type: end, outcome: gave_up } }]
flow_decider: [{ id: again, action: { type: loop_with_inbox_item, payload: { content: go on } } }]`,
      replies: () => ({ text: 'the same words' }),
    });
    const run = await team.launch();
    await breathe();
    expect(await run.result).toMatchObject({ outcome: 'gave_up', output: 'the same words' });
    await team.engine.close();
  });

  it('inherits by id, and says what is wrong at its place', async () => {
    const files = (text: string) => ({
      files: [
        { path: 'llm_configs/fast.yaml', text: 'type: llm_config\nname: fast\nconfig: { model: openai/x }\n' },
        {
          path: 'profiles/base.yaml',
          text: 'name: Base\ntype: base\nstagnation:\n  - { id: a, at: 2, action: { type: nudge } }\n  - { id: b, at: 4, action: { type: end } }\n',
        },
        { path: 'profiles/p.yaml', text: `name: P\ntype: associate\nbase_profile: Base\nllm_config_ref: fast\n${text}\n` },
      ],
    });
    const set = await loadProfiles(files('stagnation: [{ id: a, at: 3 }, { id: b, remove: true }]'));
    expect(set.profiles.get('P')?.stagnation).toMatchObject([{ id: 'a', at: 3, action: { type: 'nudge' } }]);
    const wrong = [
      ['stagnation: [{ id: x, at: 0, action: { type: nudge } }]', 'at'],
      ['stagnation: [{ id: x, at: 1, on: same_streak, action: { type: nudge } }]', 'same_streak'],
      ['stagnation: [{ id: x, at: 1, action: { type: switch_llm_config, llm_config: fats } }]', 'fast'],
      ['stagnation: [{ id: x, at: 1, action: { type: end, outcome: success } }]', 'success'],
      ['stagnation: [{ id: x, action: { type: nudge } }]', 'at'],
      ['stagnation: on', 'off'],
    ] as const;
    for (const [text, part] of wrong)
      await expect(loadProfiles(files(text)), text).rejects.toMatchObject({
        code: 'PROFILE_INVALID',
        message: expect.stringContaining(part),
      });
  });
});

function handles(journal: ReturnType<typeof createMemoryJournal>): ReturnType<typeof createMemoryJournal> {
  return {
    location: journal.location,
    acquire: (runId, owner) => journal.acquire(runId, owner),
    release: (lease) => journal.release(lease),
    append: (lease, commit) => journal.append(lease, commit),
    read: (runId, options) => journal.read(runId, options),
    content: (hash) => journal.content(hash),
    runs: () => journal.runs(),
    close: () => journal.close(),
  };
}
