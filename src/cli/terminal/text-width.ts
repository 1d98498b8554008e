const marks = /\p{Mn}|\p{Me}|\u200C|\u200D|\uFE0E|\uFE0F/u;
const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303F\uFF00-\uFF60\uFFE0-\uFFE6]/u;

/** How many columns a text takes on a terminal: two for East Asian characters and emoji, none for marks on others. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text cut to at most `width` columns, with an ellipsis where something is missing. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let taken = 0;
  let fitted = '';
  for (const character of text) {
    taken += characterWidth(character);
    if (taken > width - 1) break;
    fitted += character;
  }
  return `${fitted}…`;
}

/** The end of the text in at most `width` columns, with an ellipsis where something is missing. */
export function fitEnd(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let taken = 0;
  let fitted = '';
  for (const character of [...text].toReversed()) {
    taken += characterWidth(character);
    if (taken > width - 1) break;
    fitted = character + fitted;
  }
  return `…${fitted}`;
}

/** The text cut or filled with spaces to exactly `width` columns. */
export function padText(text: string, width: number): string {
  const fitted = fitText(text, width);
  return fitted + ' '.repeat(Math.max(0, width - textWidth(fitted)));
}

function characterWidth(character: string): number {
  if (marks.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
