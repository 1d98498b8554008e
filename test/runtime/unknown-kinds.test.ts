import { expect, it } from 'vitest';
import { effectOf } from '../../src/engine/runtime/due-work.ts';
import { decodeInput } from '../../src/engine/runtime/wire-input.ts';

it.each(['of_tomorrow', 'toString', 7, null, undefined])('what another version sent is left to its workers: kind %o', (kind) => {
  const sent = kind === undefined ? {} : { kind };
  const lacks = expect.objectContaining({ code: 'WORKER_LACKS', message: expect.stringContaining('does not know') });
  expect(() => effectOf({ key: 'run_1/a', effect: sent })).toThrow(lacks);
  expect(() => decodeInput(sent)).toThrow(lacks);
});

const outcome = { status: 'ok', progress: [] };
const call = { agentId: 'a', turnId: 'a.t1', callId: 'c1' };
const modelOutcome = { kind: 'reply', usage: {}, attempts: [] };

it.each([
  ["'to' must be a text, not absent", { kind: 'post', item: { source: 'X', payload: 1 } }],
  ["'item' must be an object, not null", { kind: 'post', to: 'a', item: null }],
  ["'item.payload' must be there, not absent", { kind: 'post', to: 'a', item: { source: 'X' } }],
  ["'outcome.usage' must be an object", { kind: 'model', agentId: 'a', turnId: 't', outcome: { ...modelOutcome, usage: 'much' } }],
  ["'outcome' must be an object, not [1]", { kind: 'tool', ...call, outcome: [1] }],
  ["'callId' must be a text, not 7", { kind: 'tool', ...call, callId: 7, outcome }],
  ["'outcome.progress' must be a list", { kind: 'verify', ...call, by: 'b', outcome: { status: 'ok' } }],
  ["'attempt' must be a number", { kind: 'lost', agentId: 'a', callId: 'c1', attempt: '1' }],
  ["'always' must be true or false", { kind: 'answer', asking: 'ask_1', verdict: 'approved', always: 1 }],
  ["'reason' must be a text", { kind: 'cancel', reason: {} }],
  ["'deadlines' must be a list", { kind: 'timer', deadlines: {} }],
  ["'note.title' must be a text", { kind: 'keep_note', note: { content: 'x' } }],
  ["'error.code' must be a text", { kind: 'fail', error: { message: 'x' } }],
])('an input whose fields are not those of its kind is left to others: %s', (said, sent) => {
  expect(() => decodeInput(sent)).toThrow(
    expect.objectContaining({ code: 'WORKER_LACKS', message: expect.stringContaining(said) as string }),
  );
});

it.each([
  ["'turnId' must be a text", { kind: 'model', agentId: 'a', cause: 1 }],
  ["'cause' must be a number", { kind: 'title' }],
  ["'by' must be a text", { kind: 'verify', ...call, by: null, cause: 1 }],
  ["'pure' must be true or false", { kind: 'tool', ...call, pure: 'no', cause: 1 }],
])('an effect whose fields are not those of its kind is left to others: %s', (said, effect) => {
  expect(() => effectOf({ key: 'run_1/a', effect })).toThrow(
    expect.objectContaining({ code: 'WORKER_LACKS', message: expect.stringContaining(said) as string }),
  );
});

it('an effect and an input of this version are read', () => {
  expect(effectOf({ key: 'run_1/a', effect: { kind: 'title', cause: 3 } })).toEqual({ kind: 'title', cause: 3 });
  expect(decodeInput({ kind: 'cancel', reason: 'enough' })).toEqual({ kind: 'cancel', reason: 'enough' });
});
