/** Style codes, which take no columns. */
// oxlint-disable-next-line no-control-regex -- style codes are the target
const styleCodes = /\u001b\[\d{1,2}m/gu;
/** Text of characters that take one column each, whatever is next to them: letters of the West, punctuation, arrows, lines of boxes. */
const plain = /^[\x20-\x7E\xA0-\u024F\u2010-\u2027\u2030-\u205E\u2190-\u22FF\u23CE\u2500-\u259F]*$/;
const marks = /\p{Mn}|\p{Me}|\u200C|\u200D|\uFE0E|\uFE0F|[\u1160-\u11FF\uD7B0-\uD7FB]/u;
/** East Asian Width W and F of Unicode, by script, and emoji shown as pictures. */
const wide =
  /(?![\uFF61-\uFFDC])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\p{Script=Nushu}\p{Script=Khitan_Small_Script}\p{Emoji_Presentation}\u2329\u232A\u2630-\u2637\u268A-\u268F\u2FF0-\u303E\u309B\u309C\u30A0\u30FB\u30FC\u3190-\u31EF\u3200-\u33FF\u4DC0-\u4DFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}]/u;
const picture = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

// Pure cache: it takes milliseconds to make, and most texts are plain.
let characters: Intl.Segmenter | undefined;

/** A grapheme, of one or more code points, with its width in columns. */
export interface TextCharacter {
  readonly text: string;
  readonly width: number;
}

/** Iterates over the graphemes of a text without styles. */
export function* textCharacters(text: string): Generator<TextCharacter> {
  if (plain.test(text)) {
    for (const character of text) yield { text: character, width: 1 };
    return;
  }
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of characters.segment(text)) yield { text: segment, width: characterWidth(segment) };
}

/** Returns the width of a text on a terminal: two columns for East Asian characters and emoji, none for combining marks and styles. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const bare = withoutStyles(text);
  if (plain.test(bare)) return bare.length;
  let width = 0;
  for (const character of textCharacters(bare)) width += character.width;
  return width;
}

/** Removes style codes. */
export function withoutStyles(text: string): string {
  return text.replace(styleCodes, '');
}

/** Cuts the text to at most `width` columns, with an ellipsis where text is missing. */
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

/** Keeps the end of the text in at most `width` columns, with an ellipsis where text is missing. */
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

/** Cuts or pads the text to exactly `width` columns. */
export function padText(text: string, width: number): string {
  const fitted = fitText(text, width);
  return fitted + ' '.repeat(Math.max(0, width - textWidth(fitted)));
}

/** An emoji sequence drawn as one takes two columns; in other scripts each letter counts. */
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
