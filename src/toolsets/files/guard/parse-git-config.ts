/** Value of a git configuration; section and key in lower case, as git reads them. */
export interface GitConfigEntry {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Parses the entries of a git configuration file; skips anything else, since callers only look for names in it. */
export function parseGitConfig(text: string): readonly GitConfigEntry[] {
  const entries: GitConfigEntry[] = [];
  let section = '';
  // A backslash at the end of a line continues it on the next one.
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/.exec(line);
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    const rest = header === null ? line : line.slice(header[0].length);
    const entry = /^\s*([A-Za-z][\w-]*)\s*=(.*)$/.exec(rest);
    if (entry !== null) entries.push({ section, key: (entry[1] ?? '').toLowerCase(), value: valueOf(entry[2] ?? '') });
  }
  return entries;
}

/** Removes quotes, escapes and the comment from a value. */
function valueOf(raw: string): string {
  let value = '';
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw.charAt(at);
    if (char === '"') quoted = !quoted;
    else if (char === '\\') {
      at += 1;
      value += raw.charAt(at);
    } else if ((char === '#' || char === ';') && !quoted) break;
    else value += char;
  }
  return value.trim();
}
