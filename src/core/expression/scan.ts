/** A rough token of an expression, enough for limits and hints; the real lexer is the CEL parser's. */
export interface Token {
  readonly kind: 'word' | 'text' | 'sign';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
const quoteStarts = new Set([...`"'rRbB`].map((character) => character.charCodeAt(0)));
const sign = /===|!==|==|!=|<=|>=|&&|\|\||=>|\?\?|\?\.|\*\*|\/\/|\+\+|--|:=|\.\.\.|[^\s]/uy;

/** Splits a source into words, quoted texts and signs, skipping spaces and `//` comments; never fails. */
export function scan(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < source.length) {
    const end = quotedEnd(source, position);
    if (end !== undefined) {
      tokens.push({ kind: 'text', text: source.slice(position, end), start: position, end });
      position = end;
      continue;
    }
    const text = matchAt(word, source, position) ?? matchAt(sign, source, position);
    if (text === undefined) position += 1;
    else if (text === '//') position = endOfLine(source, position);
    else {
      const kind = /^[\p{L}_]/u.test(text) ? 'word' : 'sign';
      tokens.push({ kind, text, start: position, end: position + text.length });
      position += text.length;
    }
  }
  return tokens;
}

/** Returns the end of the quoted text that starts at a position (after its quote, or the limit); undefined if none starts there. */
export function quotedEnd(source: string, start: number, limit = source.length): number | undefined {
  // Asked at each character of a text; hardly any starts a quote.
  if (!quoteStarts.has(source.charCodeAt(start))) return undefined;
  const prefix = /^[rRbB]{1,2}(?=["'])/.exec(source.slice(start, start + 3))?.[0] ?? '';
  const open = start + prefix.length;
  const quote = source[open];
  if (quote !== '"' && quote !== "'") return undefined;
  const mark = source.startsWith(quote.repeat(3), open) ? quote.repeat(3) : quote;
  for (let position = open + mark.length; position < limit; position += 1) {
    if (source[position] === '\\') position += 1;
    else if (source.startsWith(mark, position)) return position + mark.length;
  }
  return limit;
}

function matchAt(pattern: RegExp, source: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0];
}

function endOfLine(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end < 0 ? source.length : end;
}
