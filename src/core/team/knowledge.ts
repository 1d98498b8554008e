import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ContentHash } from '../ids.ts';

/** A tool result that is kept whole while the model sees a preview (A1.13). Stored in `team.shared.knowledge`, by token. */
export interface KnowledgeEntry {
  /** Address of its text in the content store. */
  readonly hash: ContentHash;
  readonly chars: number;
  /** The tool and first call that returned it, and the subject of that call: an address, a path, a query. */
  readonly tool: string;
  readonly callId: string;
  readonly source: string;
  /** Number of results that contained this text. */
  readonly seen: number;
}

const tokenPattern = /<?#?\bKB-(\d{1,9})\b>?/g;

/** Returns the token of the n-th entry. */
export function knowledgeToken(number: number): string {
  return `KB-${String(number).padStart(5, '0')}`;
}

/** Formats a token for a text. */
export function showToken(token: string): string {
  return `<#${token}>`;
}

/** Returns the token in a text, in any notation: `<#KB-00001>`, `KB-1`; undefined when there is none. */
export function parseToken(text: string): string | undefined {
  const match = new RegExp(tokenPattern).exec(text);
  return match?.[1] === undefined ? undefined : knowledgeToken(Number(match[1]));
}

/** Longest text produced by replacing tokens, in characters; further tokens stay. */
const maxFilledChars = 5_000_000;

/** Replaces tokens in a text with the texts kept for them; unknown tokens stay. */
export function fillTokens(text: string, shared: JsonValue | undefined, stored: (hash: ContentHash) => string | undefined): string {
  if (!text.includes('<#KB-')) return text;
  const entries = readKnowledge(shared);
  let room = maxFilledChars;
  return text.replace(/<#KB-(\d{1,9})>/g, (whole, number: string) => {
    const entry = entries.get(knowledgeToken(Number(number)));
    const kept = entry === undefined || entry.chars > room ? undefined : stored(entry.hash);
    room -= kept?.length ?? 0;
    return kept ?? whole;
  });
}

/** Reads the entries from the team's shared state, in order of arrival; ignores malformed values. */
export function readKnowledge(shared: JsonValue | undefined): ReadonlyMap<string, KnowledgeEntry> {
  const entries = isJsonObject(shared) && isJsonObject(shared['knowledge']) ? Object.entries(shared['knowledge']) : [];
  return new Map(
    entries.flatMap(([token, value]) =>
      isJsonObject(value) && typeof value['hash'] === 'string' ? [[token, readEntry(value)]] : [],
    ),
  );
}

function readEntry(value: JsonObject): KnowledgeEntry {
  const text = (key: string): string => (typeof value[key] === 'string' ? value[key] : '');
  const count = (key: string): number => (typeof value[key] === 'number' ? value[key] : 0);
  return {
    hash: text('hash') as ContentHash,
    chars: count('chars'),
    tool: text('tool'),
    callId: text('call_id'),
    source: text('source'),
    seen: count('seen'),
  };
}

/** Converts an entry to its form in state. */
export function toEntryJson({ callId, ...entry }: KnowledgeEntry): JsonObject {
  return { ...entry, call_id: callId };
}
