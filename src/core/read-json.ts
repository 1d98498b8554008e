/**
 * Parses JSON text like `JSON.parse`, with the keys that stand in it.
 *
 * V8 takes an escaped key for one of an object that the process parsed earlier, when that one came in the same place and equals the
 * beginning of the key's source: after `{"a":0,"\\":1}`, it reads `{"a":0,"\n":1}` as `{"a":0,"\\":1}` (nodejs/node#63785). Only
 * texts with an escaped key are read twice.
 *
 * @throws SyntaxError when the text is no JSON
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedKey(text) ? readAgain(text) : value;
}

/** True when a key of a valid JSON text has an escape. */
function hasEscapedKey(text: string): boolean {
  // The first backslash after the end of a string begins an escape within another one.
  for (let at = text.indexOf('\\'); at !== -1;) {
    const end = endOfString(text, at);
    if (isKey(text, end)) return true;
    at = text.indexOf('\\', end);
  }
  return false;
}

/** Returns the place of the quote that ends a string; `from` is the first place inside it, or its first backslash. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** True when the string that ends here is a key: a colon follows. */
function isKey(text: string, end: number): boolean {
  return text[nextToken(text, end + 1)] === ':';
}

/** Returns the place of the next character that is no space. */
function nextToken(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? '.')) at += 1;
  return at;
}

/** Reads a valid JSON text part by part: strings and numbers by `JSON.parse`, objects and lists here. */
function readAgain(text: string): unknown {
  const top: unknown[] = [];
  const open: (unknown[] | Record<string, unknown>)[] = [top];
  let key = '';
  const put = (value: unknown): void => {
    const inside = open.at(-1);
    if (Array.isArray(inside)) inside.push(value);
    // Assigned, the name `__proto__` would set a prototype.
    else if (inside !== undefined)
      Object.defineProperty(inside, key, { value, enumerable: true, configurable: true, writable: true });
  };
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, at)) {
    const first = text[at] ?? '';
    if (first === '{' || first === '[') {
      const inner = first === '[' ? [] : {};
      put(inner);
      open.push(inner);
      at += 1;
    } else if (first === '"') {
      const end = endOfString(text, at + 1);
      const part = JSON.parse(text.slice(at, end + 1)) as string;
      if (isKey(text, end)) key = part;
      else put(part);
      at = end + 1;
    } else if (marks.includes(first)) {
      if (first === '}' || first === ']') open.pop();
      at += 1;
    } else {
      const end = endOfWord(text, at);
      put(JSON.parse(text.slice(at, end)));
      at = end;
    }
  }
  return top[0];
}

const marks = '{}[],:';

/** Returns the place behind a number, `true`, `false` or `null`. */
function endOfWord(text: string, from: number): number {
  let end = from;
  while (end < text.length && !` \t\n\r${marks}`.includes(text[end] ?? '')) end += 1;
  return end;
}
