import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.join(import.meta.dirname, '..', '..');

/** The text of a file of the project. */
export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** One fenced block of a page. */
export interface Block {
  readonly file: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** What stands behind the fence: `ts run`, `yaml profile`, … */
  readonly info: string;
  readonly text: string;
}

/** One page: its text without fenced blocks, and the blocks. */
export interface Page {
  readonly file: string;
  readonly prose: string;
  readonly blocks: readonly Block[];
}

/** Reads a page of the project's documentation. */
export function readPage(file: string): Page {
  const lines = readText(file).split('\n');
  const prose: string[] = [];
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly info: string; readonly lines: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    if (open === undefined && line.startsWith('```')) {
      open = { line: index + 1, info: line.slice(3).trim(), lines: [] };
    } else if (open !== undefined && line === '```') {
      blocks.push({ file, line: open.line, info: open.info, text: open.lines.map((each) => `${each}\n`).join('') });
      open = undefined;
    } else if (open !== undefined) {
      open.lines.push(line);
    } else {
      prose.push(line);
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block is never closed`);
  return { file, prose: prose.join('\n'), blocks };
}

/** All pages: those in the project's folder, those in docs, and one of each system. */
export function readPages(): readonly Page[] {
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const top = readdirSync(root);
  const systems = readdirSync(path.join(root, 'agent_profiles'), { recursive: true, encoding: 'utf8' });
  return [...top, ...docs, ...systems.map((name) => `agent_profiles/${name}`)].filter((name) => name.endsWith('.md')).map(readPage);
}

/** The part of a page below a heading, up to the next heading of any level. */
export function section(page: Page, heading: string): string {
  const [, part = ''] = `${page.prose}\n## `.split(new RegExp(`^#+ ${heading}$`, 'm'));
  return part.split(/^#+ /m)[0] ?? '';
}

/** The cells of all table rows in a text, without those of heads. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|--'))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}

/** All texts in backticks. */
export function codeWords(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}
