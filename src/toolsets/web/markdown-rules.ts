import type TurndownService from 'turndown';
import type { PageElement } from './page-element.ts';

/** Adds conversion rules for tables and for verbatim code to the standard ones. */
export function addMarkdownRules(turndown: TurndownService): void {
  turndown.addRule('tableCell', {
    filter: ['th', 'td'],
    replacement: (content) => ` ${oneLine(content)} |`,
  });
  turndown.addRule('tableRow', {
    filter: 'tr',
    replacement: (content, node) => {
      const row = node as unknown as PageElement;
      const line = `\n|${content.replaceAll('\n', '')}`;
      return isFirstRow(row) ? `${line}\n|${' --- |'.repeat(Math.max(1, row.children.length))}` : line;
    },
  });
  turndown.addRule('table', {
    filter: 'table',
    // Markdown has no nested tables: the rows of an inner table are joined with spaces.
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, '\n').trim()}\n\n`,
  });
  turndown.addRule('tableParts', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => content,
  });
  turndown.addRule('code', {
    filter: 'pre',
    replacement: (_content, node) => {
      const pre = node as unknown as PageElement;
      const text = (pre.textContent ?? '').replace(/(?<!\n)\n+$/, '').replace(/^\n+/, '');
      const fence = '`'.repeat(Math.max(3, longestFence(text) + 1));
      return `\n\n${fence}${languageOf(pre)}\n${text}\n${fence}\n\n`;
    },
  });
}

function oneLine(content: string): string {
  return content
    .trim()
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|');
}

function isFirstRow(row: PageElement): boolean {
  const parent = row.parentElement;
  if (parent === null || parent.children[0] !== row) return false;
  if (parent.nodeName === 'TABLE' || parent.nodeName === 'THEAD') return true;
  const table = parent.parentElement;
  const first = [...(table?.children ?? [])].find((child) => ['THEAD', 'TBODY', 'TFOOT', 'TR'].includes(child.nodeName));
  return first === parent;
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/^[^\S\n]*(`{3,})/gm)].map((match) => match[1]?.length ?? 0));
}

function languageOf(pre: PageElement): string {
  const classes = [pre, ...pre.children, ...(pre.parentElement === null ? [] : [pre.parentElement])].map(
    (element) => element.getAttribute('class') ?? '',
  );
  return /(?:language|lang|highlight|highlight-source)-([\w+#-]{1,20})/.exec(classes.join(' '))?.[1] ?? '';
}
