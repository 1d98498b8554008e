import { expect, it } from 'vitest';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { LiveChannel, LiveSource } from '../../../src/core/events/live-channel.ts';
import type { AgentId, CallId, RunId, TurnId } from '../../../src/core/ids.ts';
import type { ModelDelta } from '../../../src/core/model/model.ts';
import { cutText } from '../../../src/engine/live/live-message.ts';
import { publishLive } from '../../../src/engine/live/live-publisher.ts';
import { LiveReader } from '../../../src/engine/live/live-reader.ts';
import { ReplyPieces, Subscribers } from '../../../src/engine/subscribers.ts';

const runId = 'run_1' as RunId;
const agentId = 'a1' as AgentId;
const turnId = 'a1.t1' as TurnId;

/** A channel inside the test, which sends when it is told to and loses what it is told to. */
class TestChannel implements LiveChannel {
  longest = 7_500;
  loses: (message: { readonly kind: string; readonly part?: number }) => boolean = () => false;
  readonly sent: string[] = [];
  #sources = new Set<LiveSource>();
  readonly #readers = new Map<string, (message: string) => void>();

  offer(_runId: RunId, source: LiveSource) {
    this.#sources.add(source);
    source.wanted(this.#readers.size > 0);
    return { ready: () => undefined, close: () => void this.#sources.delete(source) };
  }

  read(_runId: RunId, receive: (message: string) => void) {
    const reader = `r${this.#readers.size + 1}`;
    this.#readers.set(reader, receive);
    const ask = (): void => {
      for (const source of this.#sources) source.asked(reader);
    };
    for (const source of this.#sources) source.wanted(true);
    ask();
    return { reader, ask, close: () => void this.#readers.delete(reader) };
  }

  /** Sends what the sources have, and what readers ask for by that. */
  send(): void {
    for (let round = 0; round < 5; round += 1)
      for (const source of this.#sources)
        for (const message of source.take(this.longest)) {
          this.sent.push(message);
          if (this.loses(JSON.parse(message) as { kind: string })) continue;
          for (const receive of this.#readers.values()) receive(message);
        }
  }
}

/** An engine that streams a reply. */
function streaming(channel: LiveChannel) {
  const subscribers = new Subscribers((message) => expect.unreachable(message));
  const stop = publishLive(channel, { runId, subscribers, seq: () => 5 });
  const pieces = new ReplyPieces();
  subscribers.begin(turnId, {
    get soFar() {
      return { agentId, turnId, deltas: pieces.deltas };
    },
  });
  let n = 0;
  const say = (text: string, more: Partial<ModelDelta> = {}): void => {
    const delta: ModelDelta = { attempt: 1, n: (n += 1), kind: 'text', text, ...more };
    pieces.add(delta);
    subscribers.delta(agentId, turnId, delta);
  };
  return { subscribers, say, stop };
}

/** A reader in another process, which has read events up to a number. */
function reading(channel: LiveChannel, seq = 5) {
  const at = { seq };
  const got: ModelDelta[] = [];
  const notes: string[] = [];
  const to = new Subscribers((message) => expect.unreachable(message));
  to.add({
    onDelta: (_agent, _turn, delta) => got.push(delta),
    onProgress: ({ fraction, note }) => notes.push(`${fraction} ${note}`),
  });
  const reader = new LiveReader(channel, { runId, seq: () => at.seq, to });
  const text = (attempt = 1): string => got.flatMap((delta) => (delta.attempt === attempt ? [delta.text] : [])).join('');
  return { reader, at, got, notes, text, to };
}

const ended = (text: string): readonly CadreEvent[] => [
  { type: 'model.end', seq: 9, agentId, turnId, attempts: [], reply: { text, toolCalls: [] } } as unknown as CadreEvent,
];

it('pieces reach a reader elsewhere joined and in order; without a reader nothing is made or sent', () => {
  const channel = new TestChannel();
  const { subscribers, say } = streaming(channel);
  expect(subscribers.wantsDeltas).toBe(false);
  const { got, text, to, notes } = reading(channel);
  expect(subscribers.wantsDeltas).toBe(true);
  for (const word of ['think', 'ing ']) say(word, { kind: 'reasoning' });
  for (const word of ['Hello', ', ', 'world']) say(word);
  subscribers.progress(agentId, turnId, 'c1' as CallId, 0.1, 'a');
  subscribers.progress(agentId, turnId, 'c1' as CallId, 0.2, 'b');
  channel.send();
  expect(got.map(({ kind, n, text: piece }) => [kind, n, piece])).toEqual([
    ['reasoning', 2, 'thinking '],
    ['text', 5, 'Hello, world'],
  ]);
  expect(notes).toEqual(['0.2 b']);
  expect(to.replies).toEqual([{ agentId, turnId, deltas: got }]);
  say('!');
  channel.send();
  expect(text()).toBe('thinking Hello, world!');
});

it('a reader that joins in the middle of a reply gets its beginning; others get nothing twice', () => {
  const channel = new TestChannel();
  const { say } = streaming(channel);
  say('before any reader, ');
  const first = reading(channel);
  say('then one, ');
  channel.send();
  say('that waits ');
  const second = reading(channel);
  say('while another comes');
  channel.send();
  for (const { text } of [first, second]) expect(text()).toBe('before any reader, then one, that waits while another comes');
});

it('after a lost message a reader gets no later piece before the reply came again from its beginning', () => {
  const channel = new TestChannel();
  const { say } = streaming(channel);
  const { text, reader } = reading(channel);
  say('one ');
  channel.send();
  channel.loses = ({ kind }) => kind === 'piece';
  say('two ');
  channel.send();
  channel.loses = ({ kind }) => kind === 'reply';
  say('three ');
  channel.send();
  expect(text()).toBe('one ');
  channel.loses = () => false;
  for (let count = 0; count < 60; count += 1) {
    say('x');
    channel.send();
    expect(`one two three ${'x'.repeat(count + 1)}`.startsWith(text())).toBe(true);
  }
  expect(text()).toBe(`one two three ${'x'.repeat(60)}`);
  // What is still missing comes with the message that the journal has.
  channel.loses = () => true;
  say('lost');
  channel.send();
  reader.note(ended(`one two three ${'x'.repeat(60)}lost`));
  expect(text()).toBe(`one two three ${'x'.repeat(60)}lost`);
});

it('a call that another engine makes again is a later attempt; pieces that come after the end of the reply are dropped', () => {
  const channel = new TestChannel();
  const first = streaming(channel);
  const { reader, text, got } = reading(channel);
  first.say('half a rep');
  channel.send();
  first.stop();
  const second = streaming(channel);
  second.say('the whole ');
  second.say('reply');
  channel.send();
  expect([text(1), text(2)]).toEqual(['half a rep', 'the whole reply']);
  reader.note(ended('the whole reply'));
  second.say(' and more');
  channel.send();
  expect(got.map(({ attempt, text: piece }) => `${attempt} ${piece}`)).toEqual(['1 half a rep', '2 the whole reply']);
});

it('live data waits for the events that its source knew', () => {
  const channel = new TestChannel();
  const { say } = streaming(channel);
  const { at, reader, text } = reading(channel, 4);
  say('early');
  channel.send();
  expect(text()).toBe('');
  at.seq = 5;
  reader.release();
  expect(text()).toBe('early');
});

it('no message is longer than the channel takes, whatever the text; too much that waits is dropped', () => {
  const channel = new TestChannel();
  channel.longest = 600;
  const { say } = streaming(channel);
  const { text, reader } = reading(channel);
  const words = ['plain '.repeat(400), 'ü'.repeat(900), '\u0000\u0001'.repeat(300), '👍"\\'.repeat(300)];
  for (const word of words) say(word);
  channel.send();
  expect(text()).toBe(words.join(''));
  const late = reading(channel);
  channel.send();
  expect(late.text()).toBe(words.join(''));
  say('y'.repeat(300_000));
  channel.send();
  expect(Math.max(...channel.sent.map((message) => Buffer.byteLength(message)))).toBeLessThanOrEqual(600);
  expect(channel.sent.length).toBeLessThan(400);
  expect(text()).toBe(words.join(''));
  reader.note(ended(`${words.join('')}${'y'.repeat(300_000)}`));
  expect(text()).toHaveLength(words.join('').length + 300_000);
  expect(cutText('', 100)).toEqual([]);
});

it('what is no message, or is for a run of another version, is ignored', () => {
  let receive: (message: string) => void = () => undefined;
  const channel: LiveChannel = {
    offer: () => ({ ready: () => undefined, close: () => undefined }),
    read: (_runId, to) => {
      receive = to;
      return { reader: 'me', ask: () => undefined, close: () => undefined };
    },
  };
  const { got } = reading(channel);
  const piece = {
    kind: 'piece',
    seq: 1,
    agentId,
    turnId,
    stream: 's',
    part: 1,
    delta: { attempt: 1, n: 1, kind: 'text', text: 'x' },
  };
  const bad = [
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"kind":"piece"}',
    { ...piece, delta: null },
    { ...piece, part: '1' },
    { ...piece, kind: 'later' },
  ];
  for (const text of bad) receive(typeof text === 'string' ? text : JSON.stringify(text));
  expect(got).toEqual([]);
  receive(JSON.stringify(piece));
  expect(got).toHaveLength(1);
});
