/** Letters that look like Latin ones, by the script they are of. */
const scripts = ['Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const;

const foreign = new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join('')}\uFF21-\uFF5A\u{1D400}-\u{1D7FF}]`, 'gu');

/** Maximum number of listed words. */
const mostWords = 5;

/**
 * Finds words that mix Latin letters with look-alikes (`pаypal` with a Cyrillic `а`) and marks the foreign letters, so that a
 * person who approves a call sees differences a font hides (FAULTS S9).
 */
export function lookAlikes(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!/\p{Script=Latin}/u.test(word) || word.search(foreign) < 0) continue;
    found.add(word.replace(foreign, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`));
    if (found.size === mostWords) break;
  }
  return [...found];
}
