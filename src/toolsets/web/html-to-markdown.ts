import { importPackage } from '../../tools/import-package.ts';
import type { PageDocument, PageElement } from './page-element.ts';
import { addMarkdownRules } from './markdown-rules.ts';
import { hidingStyle } from './hiding-style.ts';

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
