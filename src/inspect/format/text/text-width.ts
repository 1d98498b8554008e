/** The codes that styles are made of: they take no room. */
// oxlint-disable-next-line no-control-regex -- the codes of styles are what is looked for
const styleCodes = /\u001b\[\d{1,2}m/gu;
const plain = /^[\x20-\x7E]*$/;
const marks = /\p{Mn}|\p{Me}|\u200C|\u200D|\uFE0E|\uFE0F|[\u1160-\u11FF\uD7B0-\uD7FB]/u;
/** East Asian Width W and F of Unicode, by script, and emoji that are shown as pictures. */
const wide =
  /(?![\uFF61-\uFFDC])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\p{Script=Nushu}\p{Script=Khitan_Small_Script}\p{Emoji_Presentation}\u2329\u232A\u2630-\u2637\u268A-\u268F\u2FF0-\u303E\u309B\u309C\u30A0\u30FB\u30FC\u3190-\u31EF\u3200-\u33FF\u4DC0-\u4DFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}]/u;
const picture = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A character as readers see it, of one or more code points, and the columns it takes. */
export interface TextCharacter {
  readonly text: string;
  readonly width: number;
}

/** The characters of a text, as readers see them; the text holds no styles. */
export function* textCharacters(text: string): Generator<TextCharacter> {
  for (const { segment } of characters.segment(text)) yield { text: segment, width: characterWidth(segment) };
}

/** How many columns a text takes on a terminal: two for East Asian characters and emoji, none for marks on others and for styles. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const bare = withoutStyles(text);
  if (plain.test(bare)) return bare.length;
  let width = 0;
  for (const character of textCharacters(bare)) width += character.width;
  return width;
}

/** The text without the codes of styles. */
export function withoutStyles(text: string): string {
  return text.replace(styleCodes, '');
}

/** The text cut to at most `width` columns, with an ellipsis where something is missing. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let taken = 0;
  let fitted = '';
  for (const character of textCharacters(text)) {
    taken += character.width;
    if (taken > width - 1) break;
    fitted += character.text;
  }
  return `${fitted}…`;
}

/** The end of the text in at most `width` columns, with an ellipsis where something is missing. */
export function fitEnd(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let taken = 0;
  let fitted = '';
  for (const character of [...textCharacters(text)].toReversed()) {
    taken += character.width;
    if (taken > width - 1) break;
    fitted = character.text + fitted;
  }
  return `…${fitted}`;
}

/** The text cut or filled with spaces to exactly `width` columns. */
export function padText(text: string, width: number): string {
  const fitted = fitText(text, width);
  return fitted + ' '.repeat(Math.max(0, width - textWidth(fitted)));
}

/** A sequence of emoji that is drawn as one takes two columns, like any of them; of other scripts each letter has its own. */
function characterWidth(character: string): number {
  if (character.length === 1) return codePointWidth(character);
  if (picture.test(character) && /\uFE0F|\u200D|\p{Emoji_Presentation}/u.test(character)) return 2;
  if (character.includes('\uFE0F\u20E3')) return 2;
  let width = 0;
  for (const codePoint of character) width += codePointWidth(codePoint);
  return width;
}

function codePointWidth(codePoint: string): number {
  if (marks.test(codePoint)) return 0;
  return wide.test(codePoint) ? 2 : 1;
}
