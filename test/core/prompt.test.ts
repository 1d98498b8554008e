import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallId, ItemId, TurnId } from '../../src/core/ids.ts';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { assemblePrompt, messagesOfInputs, prependSeparator } from '../../src/core/prompt/prompt.ts';
import type { TurnInput } from '../../src/core/state/turn.ts';

const turnId = 'A_1.t1' as TurnId;

function input(content: string, more: Partial<TurnInput> = {}): TurnInput {
  return {
    itemId: `i${content}` as ItemId,
    source: 'NEWS',
    strategy: 'global',
    ingestor: 'x',
    mode: 'append_as_new_message',
    role: 'user',
    persistent: true,
    content,
    ...more,
  };
}

const result = (id: string, more: Partial<TurnInput> = {}): TurnInput =>
  input(`result ${id}`, { role: 'tool', callId: id as CallId, wireName: 't', ...more });
const user = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] });

describe('what a turn adds to history', () => {
  it('neighbouring results share one message, everything else is one message each, what passes leaves none', () => {
    const stored = messagesOfInputs(
      [result('a'), result('b', { isError: true }), input('passing', { persistent: false }), input('words')],
      turnId,
    );
    expect(stored.map(({ message }) => message.role)).toEqual(['tool', 'user']);
    expect(stored[0]?.message).toMatchObject({
      content: [
        { toolCallId: 'a', output: { type: 'text' } },
        { toolCallId: 'b', output: { type: 'error-text' } },
      ],
    });
    expect(stored[0]?.origin).toEqual({ turnId, itemIds: ['iresult a', 'iresult b'], callIds: ['a', 'b'], event: 0 });
  });
});

describe('I11: the prompt of a turn', () => {
  const messages: readonly PromptMessage[] = [
    user('one'),
    { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
    user('three'),
  ];

  it('a prepended note goes in front of a copy of the last message of its role, or becomes its own', () => {
    const note = input('note', { persistent: false, mode: 'prepend_to_role' });
    const prompt = assemblePrompt({
      systemText: 'You work.',
      history: { messages, released: 0 },
      range: { from: 0, to: 3 },
      inputs: [note],
    });
    expect(prompt.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: `note${prependSeparator}` },
        { type: 'text', text: 'three' },
      ],
    });
    expect(messages[2]).toEqual(user('three'));
    expect(
      assemblePrompt({ systemText: '', history: { messages, released: 0 }, range: { from: 0, to: 2 }, inputs: [note] }).at(-1),
    ).toEqual(user('note'));
  });

  it('property: stored messages are handed on as they are, and never edited', () => {
    const passing = fc.array(fc.record({ text: fc.string({ minLength: 1 }), prepend: fc.boolean(), persistent: fc.boolean() }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(passing, fc.nat(3), fc.nat(3), (items, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const before = JSON.stringify(messages);
        const inputs = items.map(({ text, prepend, persistent }) =>
          input(text, { persistent, mode: prepend ? 'prepend_to_role' : 'append_as_new_message' }),
        );
        const prompt = assemblePrompt({ systemText: 'system', history: { messages, released: 0 }, range: { from, to }, inputs });
        expect(JSON.stringify(messages)).toBe(before);
        expect(prompt[0]).toEqual({ role: 'system', content: 'system' });
        for (let index = from; index < to - 1; index++) expect(prompt[1 + index - from]).toBe(messages[index]);
        const text = JSON.stringify(prompt);
        for (const item of inputs) if (!item.persistent) expect(text).toContain(JSON.stringify(item.content).slice(1, -1));
      }),
    );
  });
});
