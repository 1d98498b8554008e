import { describe, expect, it } from 'vitest';
import { sweepCuts, sweepMutations } from './cut-sweep.ts';
import { judgeTrial } from './judge-trial.ts';
import { recordings } from './recordings.ts';
import type { Trial, Witness } from './sweep-team.ts';
import { repeats } from '../support/repeats.ts';

describe('recorded streams, through provider packages and the whole engine', () => {
  it('M5 M6 I16: cut at every byte, politely and by a reset in turn, no tool runs on anything but its whole arguments', async () => {
    // `npm run trust` cuts all of them at every byte.
    const counts = await sweepCuts('some');
    expect(counts.wrong).toEqual([]);
    expect(counts.trials).toBeGreaterThan(3_000);
    expect(counts.taken).toBeGreaterThan(50);
    expect(counts.codes['MODEL_STREAM_CUT']).toBeGreaterThan(1_500);
  }, 300_000);

  it('M8 M14 I16: spoilt in hundreds of ways, they run whole calls or none, and no failed attempt is hidden', async () => {
    const trials = repeats(2_000);
    const counts = await sweepMutations(trials);
    expect(counts.wrong).toEqual([]);
    expect(counts.trials).toBe(trials);
    expect(counts.ranCalls).toBeGreaterThan(trials * 0.15);
    expect(counts.failedAttempts).toBeGreaterThan(trials * 0.25);
  }, 300_000);

  it('the judge of the sweep sees a wrong call, a hidden attempt and an empty success', () => {
    const original = recordings.find(({ name }) => name === 'chat: one call');
    if (original === undefined) throw new Error('the recording is gone');
    const whole = new TextEncoder().encode(original.body);
    const trial = (bytes: Uint8Array<ArrayBuffer>): Trial => ({ protocol: 'chat', bytes, ending: 'end', splitAt: 0 });
    const witness = (fields: Partial<Witness>): Witness => ({
      ran: [],
      events: [],
      status: 'completed',
      output: 'done',
      errorCode: undefined,
      requests: 0,
      problems: [],
      ...fields,
    });
    const pay = (args: string) => ({ ran: [{ name: 'pay', args, repaired: false }] });
    const judge = (bytes: Uint8Array<ArrayBuffer>, fields: Partial<Witness>): number =>
      judgeTrial(trial(bytes), original, witness(fields)).length;
    expect(judge(whole, pay('{"amount":10,"to":"Zoë"}'))).toBe(0);
    expect(judge(whole, pay('{"amount":1}'))).toBe(1);
    expect(judge(whole.slice(0, 500), pay('{"amount":10,"to":"Zoë"}'))).toBe(1);
    expect(judge(whole, { requests: 1 })).toBe(1);
    expect(judge(whole, { output: ' ' })).toBe(1);
    expect(judge(whole, { status: 'failed' })).toBe(1);
  });
});
