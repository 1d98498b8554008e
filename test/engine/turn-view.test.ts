import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineOptions, Run } from '../../src/index.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { testEngine, type TestEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-turn-view-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

/** Denies when a condition over `turn` holds and the amount is large; asks otherwise. */
const gatesOn = (condition: string): string => `
tool_gates:
  - { id: never, tools: [pay], condition: "args.amount > 10 && (${condition})", verdict: deny, message: Not with this reply. }
  - { id: ask, tools: [pay], verdict: ask }
`;

/** An engine over the folder's journal whose agent may pay and look. */
function paying(condition: string, replies: readonly ScriptedReply[] = [], paid: unknown[] = []): Promise<TestEngine> {
  const pay = tool(
    'pay',
    (args) => {
      paid.push(args);
      return 'paid';
    },
    { parameters },
  );
  const profile = `stagnation: off\n${waitsForUser}${allow('pay', 'look')}${gatesOn(condition)}`;
  const store: EngineOptions['store'] = path.join(folder, 'journal.db');
  return testEngine({ profile, replies, tools: [pay, tool('look', () => 'seen')], store });
}

/** What happens when a waiting payment is approved with a larger amount: it is paid, or the error's message. */
async function approve(run: Run): Promise<string> {
  try {
    await run.approve(run.pending[0]?.id ?? '', { args: { amount: 50 } });
  } catch (thrown) {
    return thrown instanceof Error ? `${(thrown as { readonly code?: string }).code ?? ''}: ${thrown.message}` : String(thrown);
  }
  await run.settled();
  return 'paid';
}

const conditions = [
  "turn.reply == 'urgent'",
  "turn.finish_reason == 'tool-calls'",
  "turn.tool_calls == ['pay', 'look']",
  "turn.tools.exists(name, name == 'look') && size(turn.tools) == 2",
  "turn.error == null && turn.reply.startsWith('urg')",
] as const;

describe('turn.* is what the journal says of the turn, in this process and in the next (F1)', () => {
  it.each(conditions)('a gate that denies on %s refuses edited arguments before and after a restart', async (condition) => {
    const paid: unknown[] = [];
    const reply = {
      text: 'urgent',
      toolCalls: [
        { name: 'pay', args: { amount: 5 } },
        { name: 'look', args: {} },
      ],
    };
    const first = await paying(condition, [reply, { text: 'done' }], paid);
    const run = await first.launch();
    await run.settled();
    const refused = 'TOOL_DENIED: ';
    expect(await approve(run)).toContain(refused);
    await first.engine.close();

    const second = await paying(condition, [{ text: 'done' }], paid);
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    expect(await approve(resumed)).toContain(refused);
    expect(paid).toEqual([]);
    await second.engine.close();
  });

  it('a tool that waits reads the reply of its turn after a restart, and a turn that begins sees none', async () => {
    const seen: unknown[] = [];
    const say = defineTransitionTool({
      name: 'say',
      description: 'Asks a person, and says what the turn said.',
      run: () => ({ kind: 'suspend', on: { kind: 'question', prompt: 'Well?' }, memo: null, events: [] }),
      resume: (_args, { scope }) => {
        const { reply } = scope['turn'] as { readonly reply?: string };
        seen.push(reply);
        return { kind: 'result', content: String(reply) };
      },
    });
    const profile = `${waitsForUser}${allow('say')}
pre_turn_observers:
  - { id: before, action: { type: update_state, updates: [{ operation: append, path: flags.before, value: "{{ [turn.reply, turn.tools] }}" }] } }
`;
    const open = (replies: readonly ScriptedReply[]): Promise<TestEngine> =>
      testEngine({ profile, replies, tools: [say], store: path.join(folder, 'journal.db') });
    const first = await open([{ text: 'Let me ask.', toolCalls: [{ name: 'say', args: {} }] }]);
    const run = await first.launch();
    await run.settled();
    await first.engine.close();
    const second = await open([{ text: 'Thanks.' }]);
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    await resumed.answer(resumed.pending[0]?.id ?? '', 'yes');
    await resumed.settled();
    expect(seen).toEqual(['Let me ask.']);
    const [agent] = resumed.state.agents.values();
    expect(agent?.flags['before']).toEqual([
      [null, ['say']],
      [null, ['say']],
    ]);
    await second.engine.close();
  });
});
