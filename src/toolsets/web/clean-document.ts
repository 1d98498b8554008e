import { hidingStyle } from './hiding-style.ts';
import type { PageDocument, PageElement } from './page-element.ts';

/** Elements that are never text of a page, or not meant for its readers. */
const removed =
  'title, script, style, template, noscript, iframe, object, embed, applet, canvas, svg, math annotation, dialog:not([open]), [hidden], [aria-hidden="true"], input, select, textarea, button, link, meta';

/**
 * Removes from a page everything that is not text for people (scripts, content hidden by attribute or inline style, controls), and makes
 * its links and images absolute. Links that are not web addresses lose their target.
 */
export function cleanDocument(document: PageDocument, url: string): void {
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
