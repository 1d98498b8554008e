import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { readJson } from '../../core/read-json.ts';

/** Position of a reply's piece among those of its source. */
export interface PiecePlace {
  /** Newest event that the source knew. */
  readonly seq: number;
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** Name of one source's attempt to get the reply: another engine that makes the call again has another. */
  readonly stream: string;
  /** Number of the piece in its stream, from 1. */
  readonly part: number;
}

/** A message of live data from one process to others. */
export type LiveMessage =
  | ({ readonly kind: 'piece'; readonly delta: ModelDelta } & PiecePlace)
  /** A reply from its beginning up to a part, for one reader; `at` counts the messages it takes, of `of`. */
  | ({
      readonly kind: 'reply';
      readonly to: string;
      readonly at: number;
      readonly of: number;
      readonly deltas: readonly ModelDelta[];
    } & PiecePlace)
  | {
      readonly kind: 'progress';
      readonly seq: number;
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly fraction: number;
      readonly note: string;
    };

/** Reads a message; undefined for a text that is none, such as one of another version. */
export function readLiveMessage(text: string): LiveMessage | undefined {
  try {
    const read: unknown = readJson(text);
    return isLiveMessage(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isLiveMessage(value: unknown): value is LiveMessage {
  if (!hasTypes(value, { kind: 'string', seq: 'number', agentId: 'string', turnId: 'string' })) return false;
  switch (value['kind']) {
    case 'piece':
      return hasTypes(value, place) && isDelta(value['delta']);
    case 'reply': {
      const { deltas } = value;
      return (
        hasTypes(value, { ...place, to: 'string', at: 'number', of: 'number' }) && Array.isArray(deltas) && deltas.every(isDelta)
      );
    }
    case 'progress':
      return hasTypes(value, { callId: 'string', fraction: 'number', note: 'string' });
    default:
      return false;
  }
}

const place = { stream: 'string', part: 'number' } as const;

/** Returns the length of a message as it is sent, in bytes. */
export function bytesOf(message: LiveMessage): number {
  return Buffer.byteLength(JSON.stringify(message));
}

/** Cuts a text into parts of at most `longest` bytes each, as JSON has them. */
export function cutText(text: string, longest: number): readonly string[] {
  const parts: string[] = [];
  for (let begin = 0; begin < text.length;) {
    let length = Math.min(longest, text.length - begin);
    for (;;) {
      const bytes = Buffer.byteLength(JSON.stringify(text.slice(begin, begin + length))) - 2;
      if (bytes <= longest || length <= 1) break;
      length = Math.max(1, Math.floor((length * longest) / bytes));
    }
    parts.push(text.slice(begin, begin + length));
    begin += length;
  }
  return parts;
}

function isDelta(value: unknown): boolean {
  return hasTypes(value, { attempt: 'number', n: 'number', kind: 'string', text: 'string' });
}

function hasTypes(
  value: unknown,
  types: Readonly<Record<string, 'string' | 'number'>>,
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.entries(types).every(([name, type]) => typeof fields[name] === type);
}
