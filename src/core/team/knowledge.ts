import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ContentHash } from '../ids.ts';

/** A tool result that is kept whole, while the model was shown a preview (A1.13). It stands in `team.shared.knowledge`, by its token. */
export interface KnowledgeEntry {
  /** Where its text is stored. */
  readonly hash: ContentHash;
  readonly chars: number;
  /** The tool and the call it came from first, and what that call was about: an address, a path, a query. */
  readonly tool: string;
  readonly callId: string;
  readonly source: string;
  /** In how many results this very text stood. */
  readonly seen: number;
}

const tokenPattern = /<?#?\bKB-(\d{1,9})\b>?/g;

/** The token of the n-th entry. */
export function knowledgeToken(number: number): string {
  return `KB-${String(number).padStart(5, '0')}`;
}

/** A token as it stands in texts. */
export function showToken(token: string): string {
  return `<#${token}>`;
}

/** The token a text means, however it is written: `<#KB-00001>`, `KB-1`; undefined when there is none in it. */
export function parseToken(text: string): string | undefined {
  const match = new RegExp(tokenPattern).exec(text);
  return match?.[1] === undefined ? undefined : knowledgeToken(Number(match[1]));
}

/** Longest text that tokens are replaced in, in characters: more stays as tokens. */
const maxFilledChars = 5_000_000;

/** A text with what is kept in the place of its tokens; those that nothing is kept under stay. */
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

/** Reads the entries out of the team's shared state, in the order they came; whatever else stands there counts as none. */
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

/** An entry as it is written into state. */
export function toEntryJson({ callId, ...entry }: KnowledgeEntry): JsonObject {
  return { ...entry, call_id: callId };
}
