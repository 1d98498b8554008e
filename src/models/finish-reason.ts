import type { FinishReason } from '../core/model.ts';

/** The ends at which a reply is whole, or cut by a known limit. */
export type ProperEnd = Exclude<FinishReason, 'other'>;

/** How a stream said it ended: a proper end, or `broken` with the provider's word for it. */
export type StreamFinish =
  | { readonly kind: 'proper'; readonly reason: ProperEnd }
  | { readonly kind: 'broken'; readonly raw: string };

// Words with which local servers end a complete reply, and which providers map to `other`.
const properRawReasons: ReadonlySet<string> = new Set(['eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete']);

// Words with which some servers end a reply that calls tools, and which providers map to `other`.
const callRawReasons: ReadonlySet<string> = new Set(['function_call', 'tool_call', 'tool_calls', 'tool_use']);

/**
 * Reads the finish reason of a `finish` part: text in spec v2, `{ unified, raw }` in v3 and v4.
 * `error`, `other`, `unknown`, `interrupted` and anything unheard of are broken ends (FAULTS M6).
 */
export function parseFinishReason(value: unknown): StreamFinish {
  const unified = typeof value === 'string' ? value : readText(value, 'unified');
  const raw = readText(value, 'raw');
  switch (unified) {
    case 'stop':
    case 'tool-calls':
    case 'length':
    case 'content-filter':
      return { kind: 'proper', reason: unified };
    default:
      if (unified === 'other' && properRawReasons.has(raw.toLowerCase())) return { kind: 'proper', reason: 'stop' };
      if (unified === 'other' && callRawReasons.has(raw.toLowerCase())) return { kind: 'proper', reason: 'tool-calls' };
      return { kind: 'broken', raw: raw === '' ? unified : raw };
  }
}

function readText(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const text = (value as Readonly<Record<string, unknown>>)[key];
  return typeof text === 'string' ? text : '';
}
