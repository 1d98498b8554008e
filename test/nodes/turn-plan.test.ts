import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePlansBy, planTurn } from '../../src/core/profile/turn-plan.ts';
import { chaosModel, createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { furnishedWorkspace, openShipped, shippedProfiles } from '../scenarios/shipped-runs.ts';
import { simulate } from '../simulation/simulation.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

async function withEveryStep<Value>(work: () => Promise<Value>): Promise<Value> {
  let wholePlans = 0;
  makePlansBy((profile) => {
    wholePlans += 1;
    return planTurn(profile, true);
  });
  try {
    const value = await work();
    expect(wholePlans, 'the plans with every step were used').toBeGreaterThan(0);
    return value;
  } finally {
    makePlansBy(planTurn);
  }
}

/** Parts of a profile that each need a step of their own; of a group at most one is chosen. */
const parts: readonly (readonly string[])[] = [
  [
    'context_policy: { window: 3 }',
    'context_policy: { window: 9, max_tokens: 400 }',
    'context_policy: { max_tokens: 300, stop_at: 0.9, warn_at: 0.2 }',
    'context_policy: { truncate: { tool_result: 60, user: 20, assistant: 30 } }',
    'context_policy: { result_preview: 200 }',
    'context_policy: { compaction: { at_actions: 2, keep: 1 }, rendering: { style: event_stream, full: 2, lines: 2 } }',
    'context_policy: { compaction: { at_tokens: 300, keep: 1, on_failure: stop } }',
    'context_policy: { visibility: { show: [conversation, global] } }',
    'context_policy: { rendering: { style: event_stream, full: 1, lines: 2 }, window: 4 }',
  ],
  [
    'pre_turn_observers: [{ id: bound, condition: counters.turn_count == 2, action: { type: filter_tools, except: [long] } }]',
    'pre_turn_observers: [{ id: note, action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: "Turn {{ counters.turn_count }}." } } } }]',
    'pre_turn_observers: [{ id: fails, condition: 1 / 0 > 0, action: { type: set_tool_choice, tool_choice: none } }]',
  ],
  [
    'post_turn_observers: [{ id: keep, action: { type: update_state, updates: [{ operation: append, path: team.shared.global, value: "{{ turn.reply }}" }] } }]',
    'post_turn_observers: [{ id: failed, condition: turn.error != null, action: { type: update_state, updates: [{ operation: set, path: flags.failed, value: true }] } }]',
  ],
  ['checkpoints: [{ id: two, after_turns: 2 }]', 'checkpoints: [{ id: looked, on_tools: [look] }]'],
  [
    'stagnation: off',
    'stagnation: [{ id: nudge, on: tool_error_streak, at: 1, action: { type: nudge } }, { id: stop, at: 2, action: { type: ask_human } }]',
    'stagnation: [{ id: forbid, at: 1, action: { type: forbid_tool } }]',
  ],
  ['output_schema: { type: object, required: [answer], properties: { answer: { type: integer } } }'],
  [
    'tool_gates: [{ id: ask, tools: [look], condition: "args.n > 1", verdict: ask }]',
    'tool_gates: [{ id: no, tools: [long], verdict: deny }]',
  ],
  ['inbox_handling_strategies: [{ source: NEWS, ingestor: tagged_content, priority: 1 }]'],
  ['limits: { max_turns: 3 }', 'limits: { max_tool_calls: 2 }', 'limits: { max_tokens: 3000 }'],
  ['tool_choice: required', 'tool_choice: look'],
  [
    'system_prompt_construction: { system_prompt_segments: [{ id: a, type: static_text, content: "Turn {{ counters.turn_count }}." }, { id: b, type: tool_description }] }',
    'system_prompt_construction: { system_prompt_segments: [{ id: a, type: static_text, content: Fixed. }, { id: b, type: tool_description }, { id: c, type: tool_contributed_context }] }',
    'system_prompt_construction: { system_prompt_segments: [{ id: a, type: state_value, source_state_path: team.shared }] }',
  ],
  [
    'planner: { type: script, steps: [{ id: one, tool: look, args: { n: 1 } }, { id: two, tool: long }] }',
    'function_node: answer',
    'flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }, { id: again, condition: turn.error != null, action: { type: retry_turn } }, { id: loop, condition: counters.turn_count < 3, action: { type: loop_with_inbox_item, source: NEWS, payload: "{{ turn.reply }}" } }, { id: wait, action: { type: await_user_input } }]',
  ],
];

const profile = fc
  .tuple(...parts.map((group) => fc.option(fc.constantFrom(...group), { nil: '', freq: 2 })))
  .map((lines) => allow('look', 'long', 'fails') + lines.filter((line) => line !== '').join('\n'));

const call = fc.record({ name: fc.constantFrom('look', 'look', 'long', 'fails', 'missing'), args: fc.record({ n: fc.nat(2) }) });
const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  { weight: 5, arbitrary: call.map((made) => ({ text: 'I look.', toolCalls: [made] })) },
  { weight: 1, arbitrary: fc.array(call, { minLength: 2, maxLength: 3 }).map((toolCalls) => ({ toolCalls })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ text: 'Done, and there is nothing more to say.' }, { text: '{"answer":1}' }, { text: '' }),
  },
  { weight: 1, arbitrary: fc.constant({ error: { status: 400, message: 'no such model' } }) },
);
const sent = fc.record({
  item: fc.record({
    source: fc.constantFrom('USER_PROMPT', 'NEWS', 'MADE_UP'),
    payload: fc.constantFrom<string | { readonly prompt: string }>('more', { prompt: 'And what else is there to be seen?' }),
  }),
  priority: fc.constantFrom('next' as const, 'idle' as const),
});

const tools = [
  tool('look', ({ n }) => `page ${String(n)}`, { effect: 'pure', trust: 'untrusted' }),
  tool('long', () => 'word '.repeat(60), {
    effect: 'pure',
    context_contributions: [{ id: 'hint', order: 1, text: 'Long results.' }],
  }),
  tool('fails', () => Promise.reject(new Error('no ink')), { effect: 'pure' }),
];

interface Play {
  readonly profile: string;
  readonly replies: readonly ScriptedReply[];
  readonly messages: readonly (typeof sent extends fc.Arbitrary<infer Item> ? Item : never)[];
}

/** Plays a run to its end, with a message whenever it comes to rest, and returns its journal as text. */
async function journalOf({ profile, replies, messages }: Play): Promise<string> {
  const store = createMemoryJournal();
  const team = await testEngine({ profile, replies, tools, store, functions: { answer: () => ({ text: 'By a function.' }) } });
  const run = await team.launch();
  for (const message of messages) {
    await run.settled();
    if (run.state.outcome !== undefined) break;
    const [waiting] = run.pending;
    if (waiting?.kind === 'approval') await run.approve(waiting.id);
    else await run.send(message.item, { priority: message.priority });
  }
  await run.settled();
  await team.engine.close();
  return JSON.stringify(await store.read(run.id), undefined, 1);
}

/** Shipped profiles, one for each plan that occurs. */
const shipped = new Map(
  (await shippedProfiles()).map((each) => {
    const compiled = each.set.profiles.get(each.name);
    return [JSON.stringify(compiled === undefined ? undefined : planTurn(compiled)), each] as const;
  }),
);

describe('the plan of a profile leaves out only steps that would do nothing', () => {
  it('whatever a profile needs, its journals are those of a plan with every step, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ profile, replies: fc.array(reply, { maxLength: 8 }), messages: fc.array(sent, { maxLength: 5 }) }),
        async (play) => {
          const planned = await journalOf(play);
          expect(await withEveryStep(() => journalOf(play))).toBe(planned);
        },
      ),
      { numRuns: Number(process.env['PLAN_RUNS'] ?? 100) },
    );
  }, 120_000);

  it('so are those of simulated teams, in a storm', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const planned = await simulate({ seed, skipsDecisions: true });
      const whole = await withEveryStep(() => simulate({ seed, skipsDecisions: true }));
      expect(JSON.stringify(whole.journals), `seed ${seed}`).toBe(JSON.stringify(planned.journals));
      expect(whole.violations).toEqual([]);
    }
  }, 120_000);

  it.each([...shipped.values()])(
    'every turn of $team/$name is decided alike',
    async (team) => {
      const store = createMemoryJournal();
      const engine = await openShipped(team, { workspace: furnishedWorkspace(), store, model: chaosModel({ seed: 3 }) });
      const run = await engine.launch(
        { profile: team.name, input: 'Within how many days may a kettle be returned?' },
        { limits: { turns: 4 } },
      );
      await run.settled();
      expect(run.turns()).not.toEqual([]);
      expect(await withEveryStep(() => engine.rerender(run.id))).toMatchObject({ differences: [] });
    },
    60_000,
  );
});
