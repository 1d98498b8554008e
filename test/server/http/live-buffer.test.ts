import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AgentId, CallId, TurnId } from '../../../src/core/ids.ts';
import { LiveBuffer } from '../../../src/server/http/live-buffer.ts';

const piece = (turn: number, text: string, n = 0) => ({
  agentId: 'A' as AgentId,
  turnId: `t${turn}` as TurnId,
  delta: { attempt: 1, n, kind: 'text' as const, text },
});

const step = (call: number, note: string) => ({
  agentId: 'A' as AgentId,
  turnId: 't1' as TurnId,
  callId: `c${call}` as CallId,
  fraction: 0.5,
  note,
});

function messages(
  text: string,
): readonly { readonly event: string; readonly data: { readonly turnId?: string; readonly delta?: { readonly text: string } } }[] {
  return text.split('\n\n').flatMap((block) => {
    const match = /^event: (\w+)\ndata: (.*)$/.exec(block);
    return match === null ? [] : [{ event: match[1] ?? '', data: JSON.parse(match[2] ?? '') as object }];
  });
}

it('pieces of one reply become one; behind another event they stay apart', () => {
  const buffer = new LiveBuffer();
  buffer.delta(5, piece(1, 'a'));
  buffer.delta(5, piece(2, 'x'));
  buffer.delta(5, piece(1, 'b'));
  buffer.progress(5, step(1, 'some'));
  buffer.progress(5, step(1, 'more'));
  buffer.delta(6, piece(1, 'c'));
  expect(buffer.nextAfter).toBe(5);
  expect(buffer.take(4)).toBe('');
  expect(messages(buffer.take(5)).map(({ data }) => data.delta?.text ?? data)).toEqual(['ab', 'x', step(1, 'more')]);
  expect(buffer.nextAfter).toBe(6);
  expect(messages(buffer.take(9)).map(({ data }) => data.delta?.text)).toEqual(['c']);
  expect(buffer.nextAfter).toBeUndefined();
});

it('nothing of a reply is lost or moved as long as there is room', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ turn: fc.integer({ min: 1, max: 3 }), text: fc.string(), takes: fc.boolean(), commits: fc.boolean() })),
      (steps) => {
        const buffer = new LiveBuffer();
        const said: Record<string, string> = {};
        const got: Record<string, string> = {};
        let seq = 1;
        const read = (position: number): void => {
          for (const { data } of messages(buffer.take(position)))
            got[String(data.turnId)] = (got[String(data.turnId)] ?? '') + (data.delta?.text ?? '');
        };
        for (const { turn, text, takes, commits } of steps) {
          if (commits) seq += 1;
          buffer.delta(seq, piece(turn, text));
          said[`t${turn}`] = (said[`t${turn}`] ?? '') + text;
          if (takes) read(seq - 1);
        }
        read(seq);
        expect(got).toEqual(said);
      },
    ),
  );
});

it('N13: 1,000 entries or 1 MB wait for a reader, and no more; it is told once that something is missing', () => {
  const many = new LiveBuffer();
  for (let n = 0; n < 100_000; n++) many.delta(n, piece(n, 'x'));
  expect(many.nextAfter).toBe(0);
  const text = many.take(Infinity);
  expect(messages(text)[0]?.event).toBe('lag');
  expect(messages(text).length).toBeLessThanOrEqual(1_001);
  expect(messages(text).filter(({ event }) => event === 'lag')).toHaveLength(1);
  expect(many.take(Infinity)).toBe('');

  const large = new LiveBuffer();
  for (let n = 0; n < 100; n++) large.delta(1, piece(1, 'x'.repeat(100_000)));
  expect(large.take(Infinity).length).toBeLessThan(1_000_000);
  large.delta(2, piece(1, 'y'));
  expect(messages(large.take(Infinity)).map(({ event }) => event)).toEqual(['delta']);

  const noisy = new LiveBuffer();
  for (let n = 0; n < 100_000; n++) noisy.progress(1, step(1, 'x'.repeat(1_000)));
  expect(messages(noisy.take(Infinity)).length).toBeLessThanOrEqual(2);
});
