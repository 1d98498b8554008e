/** One place a patch changes: the lines that stand there, and those that shall. */
interface Hunk {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Reads a unified diff. Line numbers count for nothing: a hunk belongs where its lines stand. */
export function parsePatch(text: string): readonly Hunk[] {
  const hunks: { file: string; before: string; after: string }[] = [];
  let file = '';
  for (const line of text.split('\n')) {
    const hunk = hunks.at(-1);
    if (line.startsWith('+++ b/')) file = line.slice('+++ b/'.length);
    else if (line.startsWith('--- ')) continue;
    else if (line.startsWith('@@')) hunks.push({ file, before: '', after: '' });
    else if (hunk !== undefined && line !== '') {
      if (!line.startsWith('+')) hunk.before += `${line.slice(1)}\n`;
      if (!line.startsWith('-')) hunk.after += `${line.slice(1)}\n`;
    }
  }
  return hunks;
}

/** The text with a hunk's change made; throws when its lines do not stand there exactly once. */
export function applyHunk(text: string, hunk: Hunk): string {
  const places = text.split(hunk.before).length - 1;
  if (places !== 1) throw new Error(`${hunk.file} has ${places} places for a change that needs one:\n${hunk.before}`);
  return text.replace(hunk.before, () => hunk.after);
}
