/** A text that Python's `format` filled in, as parts: plain text, and names that stand for values. */
export type FormatPart = { readonly text: string } | { readonly name: string };

/**
 * Reads a text as `format` does: doubled braces are single ones, `{name}` is a place. Undefined when `format` refuses it (a single
 * brace, a place without a name, or one with an index or a format), which made the prompt fail.
 */
export function parseFormat(source: string): readonly FormatPart[] | undefined {
  const parts: FormatPart[] = [];
  let plain = '';
  let rest = source;
  while (rest !== '') {
    const [token = ''] = /^(?:\{\{|\}\}|\{[^{}]*\}|[^{}]+)/.exec(rest) ?? [];
    if (token === '') return undefined;
    rest = rest.slice(token.length);
    if (token === '{{' || token === '}}') plain += token.slice(1);
    else if (token.startsWith('{')) {
      const name = token.slice(1, -1);
      if (!/^[^\d!:.[\]\s][^!:.[\]]*$/.test(name)) return undefined;
      parts.push({ text: plain }, { name });
      plain = '';
    } else plain += token;
  }
  return [...parts, { text: plain }];
}
