/** Fields the documents toolset uses from a document's frontmatter. */
export interface Frontmatter {
  readonly title: string;
  readonly description: string;
  /** 1-based line of the closing mark. */
  readonly endLine: number;
}

const maxFrontmatterLines = 500;

/** Reads the `---` block at the very start of a document; undefined when there is none, or when it is never closed. */
export function readFrontmatter(lines: readonly string[]): Frontmatter | undefined {
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.slice(1, maxFrontmatterLines).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  if (end === -1) return undefined;
  const fields = lines.slice(1, end + 1);
  return { title: field(fields, 'title'), description: field(fields, 'description'), endLine: end + 2 };
}

/** Returns a one-line value at the top level: enough for a title, without parsing untrusted YAML. */
function field(fields: readonly string[], name: string): string {
  const line = fields.find((candidate) => candidate.startsWith(`${name}:`));
  const value = line?.slice(name.length + 1, 400).trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted?.[2] ?? value;
}
