import { hidingStyle } from '../../web/hiding-style.ts';
import { maxHitChars } from '../document-limits.ts';
import { TextLines } from './html-lines.ts';
import { runAtOnce, type Steps } from './steps.ts';

/** Text of an HTML file as people read it, with headings marked as in Markdown. */
export interface HtmlText {
  readonly text: string;
  /**
   * True when each line holds the text of the same line of the file; false when the file's lines are too long for that, so that the text
   * has its own lines.
   */
  readonly keepsLines: boolean;
}

/** Elements whose content is not text for people. */
const unread =
  /^(?:script|style|template|noscript|iframe|object|embed|applet|canvas|svg|annotation|select|textarea|button|dialog)$/;
/** Elements whose content is raw text up to their end tag. */
const rawContent = /^(?:script|style|textarea|iframe|title|xmp|noembed|noframes|plaintext)$/;
const withoutEnd = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
const startsBlock =
  /^(?:p|div|section|article|header|footer|main|aside|nav|ul|ol|li|dl|dt|dd|table|caption|tr|thead|tbody|h[1-6]|pre|blockquote|figure|figcaption|hr|br|form|fieldset|address|details|summary|title|body)$/;

/**
 * Extracts the text of an HTML file: no tags, scripts or comments, and nothing that the page hides by attribute or inline style. Linear
 * time for any input; content after an unterminated tag is read as text.
 */
export function readHtml(html: string): HtmlText {
  return runAtOnce(readHtmlInSteps(html));
}

/** Does the same as `readHtml`, in steps. */
export function* readHtmlInSteps(html: string): Steps<HtmlText> {
  const kept = yield* new HtmlReader(html, true).read();
  const isReadable = kept.split('\n').every((line) => line.length <= maxHitChars);
  return isReadable ? { text: kept, keepsLines: true } : { text: yield* new HtmlReader(html, false).read(), keepsLines: false };
}

class HtmlReader {
  readonly #html: string;
  readonly #out: TextLines;
  /** The element being skipped, and how many of its name are open. */
  #passed: { readonly name: string; depth: number } | undefined;
  #at = 0;

  constructor(html: string, keepsLines: boolean) {
    this.#html = html;
    this.#out = new TextLines(keepsLines);
  }

  *read(): Steps<string> {
    const html = this.#html;
    while (this.#at < html.length) {
      const open = html.indexOf('<', this.#at);
      this.#text(html.slice(this.#at, open === -1 ? html.length : open));
      if (open === -1) break;
      this.#at = open;
      if (!this.#markup(open)) {
        this.#text(html.slice(open));
        break;
      }
      yield;
    }
    return this.#out.text();
  }

  #text(raw: string): void {
    if (this.#passed === undefined) this.#out.put(decodeEntities(raw));
    else this.#out.skip(raw);
  }

  /** Reads a tag, a comment or a `<` that is text; false when the markup that begins here never ends. */
  #markup(at: number): boolean {
    const html = this.#html;
    if (html.startsWith('<!--', at)) return this.#skipPast(at, '-->', html.length);
    const next = html.charCodeAt(at + 1);
    if (next === 33 || next === 63) return this.#skipPast(at, '>', undefined);
    const name = /^<\/?([A-Za-z][A-Za-z0-9-]{0,30})/.exec(html.slice(at, at + 34))?.[1]?.toLowerCase();
    if (name === undefined) {
      this.#text('<');
      this.#at = at + 1;
      return true;
    }
    const end = tagEnd(html, at);
    if (end === undefined) return false;
    const tag = html.slice(at, end);
    this.#out.skip(tag);
    this.#at = end;
    if (html[at + 1] === '/') this.#closed(name);
    else this.#opened(name, tag);
    return true;
  }

  #opened(name: string, tag: string): void {
    if (this.#passed !== undefined) {
      // A paragraph ends where the next block begins.
      if (this.#passed.name !== 'p' || !startsBlock.test(name)) {
        if (this.#passed.name === name && !tag.endsWith('/>')) this.#passed.depth += 1;
        if (rawContent.test(name)) this.#skipRaw(name);
        return;
      }
      this.#passed = undefined;
    }
    if (withoutEnd.test(name)) {
      if (startsBlock.test(name)) this.#out.breakLine();
    } else if (unread.test(name) || isHidden(tag)) {
      if (rawContent.test(name)) this.#skipRaw(name);
      else if (!tag.endsWith('/>')) this.#passed = { name, depth: 1 };
    } else {
      if (startsBlock.test(name)) this.#out.startBlock(name);
      if (name === 'td' || name === 'th') this.#out.put(' ');
      if (rawContent.test(name)) this.#readRaw(name);
    }
  }

  #closed(name: string): void {
    if (this.#passed === undefined) {
      if (startsBlock.test(name)) this.#out.endBlock(name);
      return;
    }
    if (this.#passed.name === 'p' && startsBlock.test(name)) this.#passed.depth = 1;
    else if (this.#passed.name !== name) return;
    this.#passed.depth -= 1;
    if (this.#passed.depth === 0) this.#passed = undefined;
  }

  #skipRaw(name: string): void {
    const end = this.#rawEnd(name);
    this.#out.skip(this.#html.slice(this.#at, end));
    this.#at = end;
  }

  #readRaw(name: string): void {
    const end = this.#rawEnd(name);
    this.#text(this.#html.slice(this.#at, end));
    this.#at = end;
  }

  #rawEnd(name: string): number {
    const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
    close.lastIndex = this.#at;
    return close.exec(this.#html)?.index ?? this.#html.length;
  }

  #skipPast(at: number, mark: string, otherwise: number | undefined): boolean {
    const found = this.#html.indexOf(mark, at + 2);
    const end = found === -1 ? otherwise : found + mark.length;
    if (end === undefined) return false;
    this.#out.skip(this.#html.slice(at, end));
    this.#at = end;
    return true;
  }
}

/** Returns where a tag ends, respecting quoted values; undefined when it never does. */
function tagEnd(html: string, at: number): number | undefined {
  let from = at;
  for (;;) {
    const mark = /[>"']/g;
    mark.lastIndex = from;
    const found = mark.exec(html);
    if (found === null) return undefined;
    if (found[0] === '>') return found.index + 1;
    // A quotation mark opens a value only after an equals sign.
    const opens = /=\s*$/.test(html.slice(Math.max(at, found.index - 20), found.index));
    const close = opens ? html.indexOf(found[0], found.index + 1) : found.index;
    if (close === -1) return undefined;
    from = close + 1;
  }
}

function isHidden(tag: string): boolean {
  if (!/hidden|style|aria/i.test(tag)) return false;
  const names = tag.replace(/"[^"]*"|'[^']*'/g, '""');
  if (/\shidden(?=[\s=/>])/i.test(names) || /\saria-hidden\s*=\s*["']?true\b/i.test(tag)) return true;
  const style = /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  return style !== null && hidingStyle.test(decodeEntities(style[1] ?? style[2] ?? style[3] ?? ''));
}

const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo ' +
  'frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve ' +
  'Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ' +
  'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(160 + index)]),
  ...Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", hellip: '…', mdash: '—', ndash: '–', bull: '•', trade: '™', euro: '€' },
    ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', sbquo: '‚', bdquo: '„', larr: '←', rarr: '→', uarr: '↑', darr: '↓' },
    ...{ lsaquo: '‹', rsaquo: '›', minus: '−', le: '≤', ge: '≥', ne: '≠', infin: '∞', dagger: '†', OElig: 'Œ', oelig: 'œ' },
    ...{ nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', zwj: '', zwnj: '', lrm: '', rlm: '' },
  }),
]);

// Characters for the numbers 128 to 159, by the HTML standard.
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/** Replaces the character references of a page's text; unknown ones stay as written, and none becomes a line break. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,7}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return named.get(name) ?? whole;
    return characterOf(typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16));
  });
}

function characterOf(code: number): string {
  if (code >= 128 && code <= 159) return windows[code - 128] ?? '\uFFFD';
  if (code === 160 || (code > 0 && code < 32) || code === 127) return ' ';
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
}
