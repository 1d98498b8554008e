/** Match of a text: exact, ignoring white space, or also ignoring case. */
export type MatchKind = 'exact' | 'whitespace' | 'case';

/** One place where a text was found: which haystack, and where in it (start inclusive, end exclusive). */
export interface TextHit {
  readonly haystack: number;
  readonly start: number;
  readonly end: number;
}

/** Places of a text, at the strictest match that finds any. */
export interface FoundText {
  readonly match: MatchKind;
  readonly hits: readonly TextHit[];
}

/** Finds a text in several others, at most `limit` times; a text of white space only is never found. */
export function findText(haystacks: readonly string[], needle: string, limit: number): FoundText {
  if (needle.trim() === '') return { match: 'exact', hits: [] };
  const exact = hitsIn(haystacks, (haystack, max) => exactHits(haystack, needle, max), limit);
  if (exact.length > 0) return { match: 'exact', hits: exact };
  for (const match of ['whitespace', 'case'] as const) {
    const target = fold(needle, match).text;
    const hits = hitsIn(haystacks, (haystack, max) => foldedHits(haystack, target, match, max), limit);
    if (hits.length > 0) return { match, hits };
  }
  return { match: 'exact', hits: [] };
}

type Range = readonly [number, number];

function hitsIn(
  haystacks: readonly string[],
  find: (haystack: string, max: number) => readonly Range[],
  limit: number,
): readonly TextHit[] {
  const hits: TextHit[] = [];
  haystacks.forEach((text, haystack) => {
    if (hits.length >= limit) return;
    for (const [start, end] of find(text, limit - hits.length)) hits.push({ haystack, start, end });
  });
  return hits;
}

function exactHits(haystack: string, needle: string, max: number): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = haystack.indexOf(needle); at >= 0 && ranges.length < max; at = haystack.indexOf(needle, at + needle.length)) {
    ranges.push([at, at + needle.length]);
  }
  return ranges;
}

function foldedHits(haystack: string, target: string, match: MatchKind, max: number): readonly Range[] {
  const folded = fold(haystack, match);
  return exactHits(folded.text, target, max).map(([start, end]) => [folded.places[start] ?? 0, (folded.places[end - 1] ?? 0) + 1]);
}

/** A text without white space (and case), with the original place of each of its characters. */
function fold(text: string, match: MatchKind): { readonly text: string; readonly places: Uint32Array } {
  const kept: string[] = [];
  const places = new Uint32Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character.trim() === '') continue;
    places[kept.length] = index;
    kept.push(match === 'case' ? lowerCase(character) : character);
  }
  return { text: kept.join(''), places };
}

/** Characters that grow in lower case are kept, so that places map one to one. */
function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === 1 ? lower : character;
}
