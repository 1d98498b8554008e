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
export function decodeEntities(text: string): string {
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
