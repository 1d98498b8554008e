import { describe, expect, it } from 'vitest';
import type { CadreEvent, EventType } from '../../src/index.ts';
import { assertJournal, assertPairing, checkJournal, promptProblems } from '../../src/testing/index.ts';
import { richJournal } from '../support/rich-journal.ts';

/** The list with consecutive numbers again, and causes that point to where their events are now. */
function renumbered(events: readonly CadreEvent[]): readonly CadreEvent[] {
  const places = new Map(events.map((event, index) => [event.seq, index + 1]));
  return events.map((event, index) => ({
    ...event,
    seq: index + 1,
    ...(event.cause === undefined ? {} : { cause: places.get(event.cause) ?? Math.max(1, index) }),
  }));
}

describe('checkJournal', () => {
  it('finds nothing in a good journal, nor in any prefix of it', async () => {
    const events = await richJournal();
    expect(checkJournal(events)).toEqual([]);
    for (let length = 1; length <= events.length; length++)
      expect(checkJournal(events.slice(0, length), { settled: false }), `prefix ${length}`).toEqual([]);
  });

  it('finds an event that is missing or doubled', async () => {
    const events = await richJournal();
    const essential: ReadonlySet<EventType> = new Set([
      'run.start',
      'agent.start',
      'inbox.add',
      'turn.start',
      'model.end',
      'turn.decide',
      'tool.request',
      'tool.end',
      'turn.end',
      'agent.end',
    ]);
    events.forEach((event, index) => {
      if (essential.has(event.type))
        expect(
          checkJournal(renumbered(events.filter((_, at) => at !== index)), { settled: false }),
          `without ${event.seq} ${event.type}`,
        ).not.toEqual([]);
      if (essential.has(event.type) || event.type === 'run.end')
        expect(
          checkJournal(renumbered([...events.slice(0, index + 1), event, ...events.slice(index + 1)])),
          `twice ${event.seq} ${event.type}`,
        ).not.toEqual([]);
    });
  });

  it('finds gaps, causes that come later, and events nobody brought about', async () => {
    const events = await richJournal();
    const changed = (seq: number, change: object): readonly CadreEvent[] =>
      events.map((event) => (event.seq === seq ? ({ ...event, ...change } as CadreEvent) : event));
    expect(checkJournal(changed(4, { seq: 5 })).map(({ invariant }) => invariant)).toContain('I4');
    expect(checkJournal(changed(4, { cause: 9 })).map(({ invariant }) => invariant)).toContain('cause');
    expect(checkJournal(changed(4, { cause: undefined })).map(({ invariant }) => invariant)).toContain('cause');
    expect(() => assertJournal(changed(4, { runId: 'other' }))).toThrow(/belongs to run other/);
    expect(() => assertJournal([])).toThrow(/empty/);
  });

  it('finds an agent that sleeps on a message', async () => {
    const events = await richJournal();
    const end = events.findLastIndex((event) => event.type === 'agent.await');
    const post = events.findLastIndex((event) => event.type === 'inbox.add' && event.item.source === 'USER_PROMPT');
    const before = events.slice(0, events.findLastIndex((event, index) => event.type === 'agent.await' && index < post) + 1);
    expect(checkJournal(before)).toEqual([]);
    const posted = events[post];
    expect(end).toBeGreaterThan(0);
    if (posted !== undefined)
      expect(
        checkJournal(renumbered([...before, { ...posted, seq: before.length + 1 }])).map(({ invariant }) => invariant),
      ).toEqual(['I6']);
  });
});

describe('assertPairing', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
  const call = (id: string, name = 't') => ({ type: 'tool-call', toolCallId: id, toolName: name, input: {} });
  const result = (id: string, name = 't') => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value: 'ok' },
  });
  const asks = (...parts: readonly object[]) => ({ role: 'assistant', content: parts });
  const answers = (...parts: readonly object[]) => ({ role: 'tool', content: parts });
  const [a, b] = ['c00000001', 'c00000002'];

  it('takes what every provider takes', () => {
    expect(
      promptProblems([{ role: 'system', content: 'You work.' }, user, asks(call(a), call(b)), answers(result(a), result(b)), user]),
    ).toEqual([]);
    expect(promptProblems([user, asks(call(a), call(b)), answers(result(b)), answers(result(a))])).toEqual([]);
  });

  it.each([
    ['an unanswered call', [user, asks(call(a), call(b)), answers(result(a)), user]],
    ['a call that is never answered', [user, asks(call(a))]],
    ['a doubled result', [user, asks(call(a)), answers(result(a), result(a))]],
    ['a result in the wrong place', [user, asks(call(a)), user, answers(result(a))]],
    ['a result without a call', [user, answers(result(a))]],
    ['a result by another name', [user, asks(call(a)), answers(result(a, 'u'))]],
    ['a repeated id', [user, asks(call(a)), answers(result(a)), asks(call(a)), answers(result(a))]],
    ['an illegal name', [user, asks(call(a, 'a.b')), answers(result(a, 'a.b'))]],
    ['an illegal id', [user, asks(call('x')), answers(result('x'))]],
    ['an empty message', [user, asks(), user]],
    ['an empty text', [{ role: 'user', content: [{ type: 'text', text: ' ' }] }]],
    ['a late system message', [user, { role: 'system', content: 'x' }, user]],
    ['an empty system message', [{ role: 'system', content: '' }, user]],
    ['a prompt that ends with the model', [user, asks({ type: 'text', text: 'x' })]],
    ['a prompt that begins with the model', [asks({ type: 'text', text: 'x' }), user]],
    ['a strange role', [user, { role: 'function', content: [{ type: 'text', text: 'x' }] }]],
    ['nothing', []],
  ])('refuses %s', (_what, prompt) => {
    expect(() => assertPairing([{ prompt }])).toThrow(/strict provider/);
  });
});
