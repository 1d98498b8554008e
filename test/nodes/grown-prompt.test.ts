import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { assemblePrompt, type PromptParts } from '../../src/core/prompt/prompt.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import { promptOf } from '../../src/nodes/turn/call-model.ts';

const words = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** An agent's history, which grows in place as a run goes on, and the prompts of its calls. */
class Talk {
  readonly agent = {} as SubContext;
  readonly messages: PromptMessage[] = [];

  parts(change: Partial<PromptParts> = {}): PromptParts {
    const { messages } = this;
    return {
      systemText: 'You work.',
      history: { messages, released: 0 },
      range: { from: 0, to: messages.length },
      inputs: [],
      ...change,
    };
  }

  grow(count: number): void {
    for (let made = 0; made < count; made++) this.messages.push(words(`message ${this.messages.length}`));
  }
}

/** What may happen between two calls. */
const step = fc.record({
  added: fc.integer({ min: 0, max: 300 }),
  systemText: fc.constantFrom('You work.', 'You rest.', ''),
  from: fc.constantFrom(0, 0, 0, 3),
  heads: fc.constantFrom([], [], ['Earlier, much was said.']),
  isSpoiled: fc.boolean(),
});

describe('the prompt of a long history', () => {
  it('is what assemblePrompt builds, whatever happens between calls, and whatever a model does to the list it was given', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const talk = new Talk();
        for (const { added, systemText, from, heads, isSpoiled } of steps) {
          talk.grow(added);
          const to = talk.messages.length;
          const parts = talk.parts({ systemText, heads, range: { from: Math.min(from, to), to } });
          const prompt = promptOf(talk.agent, parts) as PromptMessage[];
          expect(prompt).toEqual(assemblePrompt(parts));
          if (isSpoiled) prompt.push(words('written by a model'));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('I13: is one list that grows beyond 512 messages, and a copy before', () => {
    const talk = new Talk();
    talk.grow(512);
    expect(promptOf(talk.agent, talk.parts())).not.toBe(promptOf(talk.agent, talk.parts()));
    talk.grow(1);
    const prompt = promptOf(talk.agent, talk.parts());
    talk.grow(2);
    expect(promptOf(talk.agent, talk.parts())).toBe(prompt);
    expect(prompt).toHaveLength(516);
  });
});
