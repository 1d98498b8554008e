/** Part of a text that Python's `format` fills in: plain text, or the name of a value. */
export type FormatPart = { readonly text: string } | { readonly name: string };

/**
 * Parses a text as Python's `format` does: doubled braces are literal, `{name}` is a placeholder. Undefined when `format` rejects
 * it (a single brace; a placeholder without a name, or with an index or a format), which made the prompt fail.
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
