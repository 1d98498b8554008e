import { deepStrictEqual } from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { frameUntrusted } from '../../src/core/untrusted/frame-untrusted.ts';
import type { RunId } from '../../src/core/ids.ts';
import { decodeCommit, encodeCommit } from '../../src/journal/codec/event-codec.ts';
import { placed, sampleRun, toolTurn } from '../contracts/journal-samples.ts';
import { commitEvents } from './event-arbitrary.ts';

const runId = sampleRun('run_1');

function roundTrip(events: readonly CadreEvent[]): readonly CadreEvent[] {
  const place = { runId: 'run_1' as RunId, firstSeq: events[0]?.seq ?? 0, at: events.at(-1)?.at ?? 0 };
  return decodeCommit(encodeCommit(events), place);
}

describe('event codec', () => {
  it('gives back exactly the events of any commit', () => {
    fc.assert(
      fc.property(commitEvents, (events) => {
        // Strict: compares own keys, absent fields, prototypes and the sign of zero.
        deepStrictEqual(roundTrip(events), events);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives back the key that stands in the text, also after one that V8 mistakes for it', () => {
    const empty = encodeCommit(placed(runId, 0, [{ type: 'note.add', level: 'info', code: 'X', message: 'KEY' }]));
    // No other object of this process begins with `seldom`.
    for (const key of [String.raw`\\`, String.raw`\n`, String.raw`\"`]) {
      const read: unknown = decodeCommit(empty.replace('"KEY"', `{"seldom":0,"${key}":1}`), { runId, firstSeq: 1, at: 5 })[0];
      expect(Object.keys((read as { readonly message: object }).message)).toEqual(['seldom', JSON.parse(`"${key}"`)]);
    }
  });

  it('writes well-formed text whatever is in it', () => {
    fc.assert(
      fc.property(commitEvents, (events) => {
        expect(encodeCommit(events).isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('stores a tool turn without saying anything twice', () => {
    const [asked, answered] = toolTurn(7);
    const bodies = [placed(runId, 50, asked), placed(runId, 54, answered)].map((events) => {
      deepStrictEqual(roundTrip(events), events);
      return encodeCommit(events);
    });
    const all = bodies.join('');
    for (const once of ['found 7', 'let me look that up', 'call_7', 'i7"', '"{\\"q\\":\\"x\\"}"'])
      expect(all.split(once)).toHaveLength(2);
    expect(all.length).toBeLessThan(750);
  });

  it('stores of a framed result its nonce alone: the words around it are known, the text stands in its item', () => {
    const [, answered] = toolTurn(7);
    const framed = (edit: (content: string) => string): readonly CadreEvent[] =>
      placed(
        runId,
        54,
        answered.map((draft) =>
          draft.type === 'turn.start'
            ? {
                ...draft,
                inputs: draft.inputs.map((input) => ({ ...input, content: edit(String(input.content)), untrusted: true })),
              }
            : draft,
        ),
      );
    const frame = (text: string, from = 'search') => frameUntrusted(text, { from, nonce: 'abcdefghijk' }).content;
    const events = framed((content) => frame(content));
    deepStrictEqual(roundTrip(events), events);
    expect(encodeCommit(events).length).toBeLessThan(encodeCommit(placed(runId, 54, answered)).length + 40);
    // A near miss is stored whole.
    for (const edit of [
      (content: string) => frame(`${content} `),
      (content: string) => frame(content, 'other'),
      (content: string) => `${frame(content)}\n`,
      (content: string) => frame(content).replace('orders', 'order'),
      () => frame(''),
    ])
      deepStrictEqual(roundTrip(framed(edit)), framed(edit));
  });

  it('refuses a form of frame that it does not know, as what a later version writes', () => {
    const [, answered] = toolTurn(7);
    const body = encodeCommit(placed(runId, 54, answered)).replace('"n":[{', '"n":[{"y":["abc",99],');
    expect(() => decodeCommit(body, { runId, firstSeq: 55, at: 5 })).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }));
  });

  it('takes every call of a reply with several for what it is', () => {
    const turns = [1, 2, 3].map(toolTurn);
    const asked = turns.map(([first]) => first);
    const events = placed(runId, 0, [
      ...asked.flatMap((drafts) => drafts.slice(0, 1)),
      ...asked.flatMap((drafts) => drafts.slice(2, 3)),
      ...asked.flatMap((drafts) => drafts.slice(3)),
      ...turns.flatMap(([, second]) => second.slice(0, 1)),
      ...turns.flatMap(([, second]) => second.slice(1, 2)),
    ]);
    deepStrictEqual(roundTrip(events), events);
    expect(encodeCommit(events).split('found')).toHaveLength(4);
  });

  it('keeps fields and types it has no table for', () => {
    const event: unknown = { type: 'future.event', runId, seq: 1, at: 5, agentId: 'a', d: 1, '-': ['x'], '.y': { c: 0 } };
    const known: unknown = { type: 'turn.end', runId, seq: 2, at: 5, agentId: 'a', turnId: 'a.t1', later: { s: 1 } };
    const events = [event, known] as CadreEvent[];
    deepStrictEqual(roundTrip(events), events);
  });

  it('gives back a field whose value is undefined as an absent one', () => {
    const event: unknown = {
      type: 'turn.end',
      runId,
      seq: 1,
      at: 5,
      agentId: 'a',
      turnId: 'a.t1',
      status: 'completed',
      error: undefined,
    };
    expect(Object.keys(roundTrip([event as CadreEvent])[0] ?? {})).not.toContain('error');
  });

  it.each(['{}', '5', 'null', '["zz"]', '[{"a":"x"}]', '["t>",{"q":1}]', '["m>",{"r":5}]', '["m>",{"t":[5]}]'])(
    'refuses %s as damaged',
    (body) => {
      expect(() => decodeCommit(body, { runId, firstSeq: 1, at: 1 })).toThrow(CadreError);
    },
  );
});
