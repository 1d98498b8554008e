import { CadreError } from '../../../core/error.ts';
import { importPackage } from '../../../tools/import-package.ts';
import type { PageDocument, PageElement } from '../page-element.ts';
import { askService, type ServicePorts } from './ask-service.ts';
import { withParameters } from './json-providers.ts';
import type { Freshness, SearchHit, SearchProvider } from './search-provider.ts';

const freshness: Readonly<Record<Freshness, string>> = { day: 'd', week: 'w', month: 'm', year: 'y' };

/** DuckDuckGo's page for browsers without scripts: needs no key, and rejects clients that ask too often. */
export function duckduckgoProvider(base: string | undefined, ports: ServicePorts): SearchProvider {
  return {
    name: 'duckduckgo',
    async search(query, options, signal) {
      const url = withParameters(new URL('html/', base ?? 'https://html.duckduckgo.com/'), {
        q: query,
        df: options.freshness === undefined ? undefined : freshness[options.freshness],
        kl: options.country === undefined ? undefined : `${options.country.toLowerCase()}-${options.language ?? 'en'}`,
      });
      const html = await askService({ url, accept: 'text/html' }, ports, signal);
      return await readResults(html);
    },
  };
}

async function readResults(html: string): Promise<readonly SearchHit[]> {
  const { parseHTML } = await importPackage(() => import('linkedom'), 'Searching with DuckDuckGo', ['linkedom']);
  const { document } = parseHTML(html) as unknown as { readonly document: PageDocument };
  const hits = [...document.querySelectorAll('.result')].flatMap(readResult);
  if (hits.length === 0 && document.querySelector('.anomaly-modal__title, #challenge-form') !== null)
    throw new CadreError('TOOL_FAILED', 'it wants to see that a person asks');
  return hits;
}

function readResult(result: PageElement): readonly SearchHit[] {
  // Advertisements differ only by their class.
  if (/\bresult--ad\b/.test(result.getAttribute('class') ?? '')) return [];
  const [link] = result.querySelectorAll('.result__a');
  const [snippet] = result.querySelectorAll('.result__snippet');
  if (link === undefined) return [];
  return [{ title: link.textContent ?? '', url: targetOf(link.getAttribute('href') ?? ''), snippet: snippet?.textContent ?? '' }];
}

/** Returns the target of a link, which leads through DuckDuckGo and contains the target. */
function targetOf(href: string): string {
  const url = URL.parse(href, 'https://duckduckgo.com/');
  return url?.searchParams.get('uddg') ?? url?.href ?? '';
}
