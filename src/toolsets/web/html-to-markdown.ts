import { importPackage } from '../../tools/import-package.ts';
import type { PageDocument, PageElement } from './page-element.ts';
import { hidingStyle } from './hiding-style.ts';
import type TurndownService from 'turndown';

/** An HTML page as Markdown. */
export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
  /** True when only the main text is included; menus and margins were left out. */
  readonly mainTextOnly: boolean;
  readonly byline?: string;
  readonly published?: string;
}

/** Input of a conversion to Markdown. */
export interface HtmlPage {
  readonly html: string;
  readonly url: string;
  /** Converts the whole page instead of its main text. */
  readonly whole: boolean;
}

const packages = ['@mozilla/readability', 'linkedom', 'turndown'];
/** Least share of the page's text for an extracted main text to be accepted. */
const leastShare = 0.2;

/**
 * Converts an HTML page to Markdown: its main text when one is found, else all of it.
 *
 * @throws CadreError `DEPENDENCY_MISSING` when the packages that read pages are not installed
 */
export async function htmlToMarkdown({ html, url, whole }: HtmlPage): Promise<MarkdownPage> {
  const load = importPackage(
    () => Promise.all([import('linkedom'), import('@mozilla/readability'), import('turndown')]),
    'Reading web pages',
    packages,
  );
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await load;
  const parse = (text: string): PageDocument => (parseHTML(text) as unknown as { document: PageDocument }).document;
  // A fragment without a body element would not get one.
  const document = parse(/<body[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`);
  const title = (document.title || document.querySelector('title')?.textContent || '').trim().replace(/\s+/g, ' ');
  cleanDocument(document, url);
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '---' });
  addMarkdownRules(turndown);
  const toMarkdown = (root: PageElement): string => tidy(turndown.turndown(root));
  const article = whole
    ? null
    : new Readability(document.cloneNode(true), {
        keepClasses: true,
        maxElemsToParse: 100_000,
      }).parse();
  const body = document.body ?? document.documentElement;
  const textLength = (body?.textContent ?? '').replace(/\s+/g, ' ').length;
  if (article?.content == null || (article.length ?? 0) < textLength * leastShare)
    return { title, markdown: body === null ? '' : toMarkdown(body), mainTextOnly: false };
  const main = parse(`<!doctype html><html><body>${article.content}</body></html>`).body;
  return {
    title: title || (article.title ?? ''),
    markdown: main === null ? '' : toMarkdown(main),
    mainTextOnly: true,
    ...(article.byline ? { byline: article.byline.trim().replace(/\s+/g, ' ').slice(0, 200) } : {}),
    ...(article.publishedTime ? { published: article.publishedTime.trim().slice(0, 60) } : {}),
  };
}

function tidy(markdown: string): string {
  return markdown
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Elements that are never text of a page, or not meant for its readers. */
const removed =
  'title, script, style, template, noscript, iframe, object, embed, applet, canvas, svg, math annotation, dialog:not([open]), [hidden], [aria-hidden="true"], input, select, textarea, button, link, meta';

/**
 * Removes from a page everything that is not text for people (scripts, content hidden by attribute or inline style, controls), and makes
 * its links and images absolute. Links that are not web addresses lose their target.
 */
function cleanDocument(document: PageDocument, url: string): void {
  const base = baseOf(document, url);
  for (const element of [...document.querySelectorAll(removed)]) element.remove();
  for (const element of [...document.querySelectorAll('[style]')]) {
    if (hidingStyle.test(element.getAttribute('style') ?? '')) element.remove();
  }
  for (const link of [...document.querySelectorAll('a[href]')])
    makeAbsolute(link, 'href', { base, allowed: /^(?:https?|mailto):/ });
  for (const image of [...document.querySelectorAll('img')]) {
    if (image.getAttribute('src') === null) image.setAttribute('src', image.getAttribute('data-src') ?? '');
    makeAbsolute(image, 'src', { base, allowed: /^https?:/ });
    if (image.getAttribute('src') === null) image.remove();
  }
}

function baseOf(document: PageDocument, url: string): string {
  const href = document.querySelector('base[href]')?.getAttribute('href');
  return (href == null ? undefined : URL.parse(href, url)?.href) ?? url;
}

interface UrlRules {
  readonly base: string;
  readonly allowed: RegExp;
}

function makeAbsolute(element: PageElement, attribute: string, { base, allowed }: UrlRules): void {
  const absolute = URL.parse(element.getAttribute(attribute)?.trim() ?? '', base)?.href;
  if (absolute !== undefined && allowed.test(absolute) && absolute.length <= 2_000) element.setAttribute(attribute, absolute);
  else element.removeAttribute(attribute);
}

/** Adds conversion rules for tables and for verbatim code to the standard ones. */
function addMarkdownRules(turndown: TurndownService): void {
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
