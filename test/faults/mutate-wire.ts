import type { SeededRandom } from './seeded-random.ts';

/** The ways in which a stream is spoilt. */
export const mutationKinds = [
  'flip a bit',
  'change a byte',
  'drop bytes',
  'double bytes',
  'insert a byte',
  'drop an event',
  'double an event',
  'swap two events',
  'move an event',
  'go on as another stream',
] as const;

export type MutationKind = (typeof mutationKinds)[number];

// Bytes that mean something to JSON and to event streams: a random byte seldom does.
const tellingBytes = Buffer.from('{}[]",:\\0123456789-.eE \n\r\0dat\u00e9');

/** Spoils a stream in one way; `other` is the stream it may go on as. */
export function mutateWire(
  kind: MutationKind,
  bytes: Uint8Array,
  other: Uint8Array,
  random: SeededRandom,
): Uint8Array<ArrayBuffer> {
  const at = random.below(bytes.length);
  const length = 1 + random.below(random.below(4) === 0 ? 40 : 3);
  const telling = tellingBytes[random.below(tellingBytes.length)] ?? 0;
  switch (kind) {
    case 'flip a bit':
      return join(bytes.slice(0, at), Uint8Array.of((bytes[at] ?? 0) ^ (1 << random.below(8))), bytes.slice(at + 1));
    case 'change a byte':
      return join(bytes.slice(0, at), Uint8Array.of(telling), bytes.slice(at + 1));
    case 'drop bytes':
      return join(bytes.slice(0, at), bytes.slice(at + length));
    case 'double bytes':
      return join(bytes.slice(0, at + length), bytes.slice(at));
    case 'insert a byte':
      return join(bytes.slice(0, at), Uint8Array.of(telling), bytes.slice(at));
    case 'go on as another stream':
      return join(bytes.slice(0, at), other.slice(random.below(other.length)));
    case 'drop an event':
    case 'double an event':
    case 'swap two events':
    case 'move an event':
      return new TextEncoder().encode(mutateEvents(kind, eventsOf(bytes), random).join(''));
  }
}

function mutateEvents(kind: MutationKind, events: readonly string[], random: SeededRandom): readonly string[] {
  const at = random.below(events.length);
  const event = events[at] ?? '';
  const without = events.toSpliced(at, 1);
  switch (kind) {
    case 'drop an event':
      return without;
    case 'double an event':
      return events.toSpliced(at, 0, event);
    case 'swap two events':
      return events.toSpliced(at, 2, events[at + 1] ?? '', event);
    default:
      return without.toSpliced(random.below(events.length), 0, event);
  }
}

function eventsOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder().decode(bytes).match(/[\s\S]*?\n\n|[\s\S]+$/g) ?? [];
}

function join(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces));
}
