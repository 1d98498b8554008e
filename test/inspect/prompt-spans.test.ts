import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Content } from '../../src/core/prompt/message.ts';
import { assemblePrompt } from '../../src/core/prompt/prompt.ts';
import type { TurnInput } from '../../src/core/state/turn.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { toTurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { agentId, callId, input, JournalBuilder, resultInput, turnId, type Segment } from './journal-builder.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const content: fc.Arbitrary<Content> = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text' as const), text }),
      fc.record({
        type: fc.constant('file' as const),
        mediaType: fc.constant('image/png'),
        data: fc.constant({ type: 'data' as const, data: 'AAAA' }),
      }),
    ),
    { maxLength: 3 },
  ),
);
const inputDraft = fc.record({
  content,
  kind: fc.constantFrom('user', 'user', 'note', 'prepend', 'tool', 'failed tool'),
});
const turnDraft = fc.record({
  inputs: fc.array(inputDraft, { maxLength: 5 }),
  segments: fc.array(fc.option(text, { nil: undefined }), { maxLength: 4 }),
  reply: fc.option(
    fc.record({ text, reasoning: text, calls: fc.array(fc.dictionary(text, text, { maxKeys: 2 }), { maxLength: 2 }) }),
    { nil: undefined },
  ),
  skip: fc.nat({ max: 3 }),
  restart: fc.boolean(),
  stream: fc.option(fc.record({ full: fc.nat({ max: 6 }), lines: fc.integer({ min: 2, max: 3 }) }), { nil: undefined }),
});

type Draft = typeof turnDraft extends fc.Arbitrary<infer Value> ? Value : never;

function toInput(draft: Draft['inputs'][number], id: string): TurnInput {
  switch (draft.kind) {
    case 'tool':
    case 'failed tool':
      return input(id, 'TOOL_RESULT', draft.content, {
        role: 'tool',
        callId: callId(`c_${id}`),
        wireName: 'search',
        ...(draft.kind === 'tool' ? {} : { isError: true }),
      });
    case 'note':
      return input(id, 'NOTE', draft.content, { persistent: false });
    case 'prepend':
      return input(id, 'SELF_REFLECTION_PROMPT', draft.content, { persistent: false, mode: 'prepend_to_role' });
    case 'user':
      return input(id, 'USER_PROMPT', draft.content);
  }
}

/** Plays the turns, and returns what was sent in each. */
function play(journal: JournalBuilder, drafts: readonly Draft[]): Map<string, string> {
  const sent = new Map<string, string>();
  journal.agent('A', 'Partner');
  drafts.forEach((draft, number) => {
    const id = `A.t${number}`;
    const inputs = draft.inputs.map((entry, index) => toInput(entry, `${id}.i${index}`));
    const segments = draft.segments.map((rendered, index): Segment =>
      rendered === undefined ? { id: `s${index}` } : { id: `s${index}`, text: rendered },
    );
    inputs.forEach((entry) => journal.item('A', entry.itemId, entry.source, null));
    const stored = journal.run.agents.get(agentId('A'))?.history.messages.length ?? 0;
    const turn = journal.turn('A', id, inputs, { segments, from: Math.min(draft.skip, stored), stream: draft.stream });
    const { messages = [], origins = [] } = journal.run.agents.get(agentId('A'))?.history ?? {};
    const system = segments
      .flatMap((segment) => (segment.text === undefined || segment.text === '' ? [] : [segment.text]))
      .join('\n\n');
    const { from, to } = turn.start.prompt ?? { from: 0, to: 0 };
    sent.set(
      id,
      promptText(
        assemblePrompt({
          systemText: system,
          history: { messages, origins, released: 0 },
          range: { from, to, ...(draft.stream === undefined ? {} : { stream: draft.stream }) },
          inputs,
        }),
      ),
    );
    if (draft.reply !== undefined) {
      const calls = draft.reply.calls.map((args, index) => ({ id: `${id}c${index}`, name: 'search', args }));
      journal.reply('A', id, draft.reply.text, calls, draft.reply.reasoning);
    }
    journal.end('A', id);
    // A new iteration begins with a briefing, as restarted agents get one.
    if (draft.restart && draft.inputs.length > 0) {
      journal.add({ type: 'agent.restart', agentId: agentId('A'), iteration: number + 2, initialParams: {} });
      const briefing = input(`${id}.b`, 'AGENT_STARTUP_BRIEFING', 'again');
      journal.item('A', briefing.itemId, briefing.source, null);
      journal.turn('A', `${id}b`, [briefing]);
      journal.end('A', `${id}b`);
    }
  });
  return sent;
}

describe('prompt spans', () => {
  it('I10: the spans of every turn concatenate to what was sent, also after later turns and restarts', () => {
    fc.assert(
      fc.property(fc.array(turnDraft, { minLength: 1, maxLength: 6 }), (drafts) => {
        const journal = new JournalBuilder();
        const sent = play(journal, drafts);
        for (const [id, expected] of sent) {
          const turn = journal.run.turns.get(turnId(id));
          if (turn === undefined) throw new Error(`no turn ${id}`);
          const { prompt } = toTurnRecord(journal.run, turn, journal.content);
          expect(prompt.spans.map((span) => span.text).join('')).toBe(expected);
          expect(prompt.text).toBe(expected);
          for (const span of prompt.spans) expect(prompt.text.slice(...span.range)).toBe(span.text);
        }
      }),
    );
  });

  it('names for each span the segment, item, call or turn it came from', () => {
    const journal = new JournalBuilder();
    journal.agent('A', 'Partner');
    journal.item('A', 'i1', 'USER_PROMPT', 'hello');
    journal.turn('A', 'A.t1', [input('i1', 'USER_PROMPT', 'hello')], { segments: [{ id: 'role', text: 'You help.' }] });
    const call = { id: 'c1', name: 'search', args: { q: 'x' } };
    journal.reply('A', 'A.t1', 'Let me look.', [call], 'hmm');
    journal.call('A', 'A.t1', call, 'found it');
    journal.end('A', 'A.t1');
    journal.item('A', 'n1', 'SELF_REFLECTION_PROMPT', null);
    const turn = journal.turn(
      'A',
      'A.t2',
      [
        resultInput('c1', 'search', 'found it'),
        input('n1', 'SELF_REFLECTION_PROMPT', 'think!', { persistent: false, mode: 'prepend_to_role' }),
      ],
      { segments: [{ id: 'role', text: 'You help.' }, { id: 'off' }, { id: 'rules', text: 'Be brief.' }] },
    );
    const { spans } = toTurnRecord(journal.run, turn, journal.content).prompt;
    expect(spans.map(({ source, ref, role, messageIndex }) => [source, ref, role, messageIndex])).toEqual([
      ['segment', 'role', 'system', 0],
      ['join', 'rules', 'system', 0],
      ['segment', 'rules', 'system', 0],
      ['item', 'i1', 'user', 1],
      ['reasoning', 'A.t1', 'assistant', 2],
      ['reply', 'A.t1', 'assistant', 2],
      ['tool_call', 'c1', 'assistant', 2],
      ['tool_result', 'r_c1', 'tool', 3],
      ['item', 'n1', 'user', 4],
    ]);
    expect(spans.at(-1)).toMatchObject({ ephemeral: true, turnId: 'A.t2', text: 'think!' });
    expect(spans[3]).not.toHaveProperty('ephemeral');
    expect(spans[7]).toMatchObject({ turnId: 'A.t2', callId: 'c1' });
  });

  it('shows a file as a span without text', () => {
    const journal = new JournalBuilder();
    journal.agent('A', 'Partner');
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      filename: 'a.png',
      data: { type: 'data' as const, data: 'AAAA' },
    };
    const turn = journal.turn('A', 'A.t1', [input('i1', 'USER_PROMPT', [{ type: 'text', text: 'see' }, file])]);
    const { spans } = toTurnRecord(journal.run, turn, journal.content).prompt;
    expect(spans.map((span) => span.text)).toEqual(['see', '']);
    expect(spans[1]?.file).toEqual({ mediaType: 'image/png', filename: 'a.png' });
  });
});
