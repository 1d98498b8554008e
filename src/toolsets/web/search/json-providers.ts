import type { JsonObject } from '../../../core/json.ts';
import { askForList, textField, type ServicePorts } from './ask-service.ts';
import type { Freshness, SearchHit, SearchOptions, SearchProvider } from './search-provider.ts';

/** Address and key of a service. */
export interface ServicePlace {
  readonly url?: string | undefined;
  readonly apiKey: string;
}

const braveFreshness: Readonly<Record<Freshness, string>> = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };
const googleFreshness: Readonly<Record<Freshness, string>> = { day: 'd1', week: 'w1', month: 'm1', year: 'y1' };

/** A self-hosted SearXNG instance; its settings must allow the format `json`. */
export function searxngProvider(base: string, ports: ServicePorts): SearchProvider {
  return {
    name: 'searxng',
    async search(query, options, signal) {
      const url = withParameters(new URL('search', base.endsWith('/') ? base : `${base}/`), {
        q: query,
        format: 'json',
        language: localeOf(options),
        time_range: options.freshness,
      });
      const results = await askForList({ url, path: ['results'] }, ports, signal);
      return results.map((result) => toHit(result, { title: 'title', url: 'url', snippet: 'content', published: 'publishedDate' }));
    },
  };
}

/** Brave Search, with a key. */
export function braveProvider(
  { url: base = 'https://api.search.brave.com/', apiKey }: ServicePlace,
  ports: ServicePorts,
): SearchProvider {
  return {
    name: 'brave',
    async search(query, options, signal) {
      const url = withParameters(new URL('res/v1/web/search', base), {
        q: query,
        count: String(Math.min(20, options.maxResults)),
        search_lang: options.language,
        country: options.country?.toUpperCase(),
        freshness: options.freshness === undefined ? undefined : braveFreshness[options.freshness],
        text_decorations: 'false',
      });
      const results = await askForList(
        { url, headers: { 'x-subscription-token': apiKey }, path: ['web', 'results'] },
        ports,
        signal,
      );
      return results.map((result) => toHit(result, { title: 'title', url: 'url', snippet: 'description', published: 'age' }));
    },
  };
}

/** Tavily, with a key. */
export function tavilyProvider(
  { url: base = 'https://api.tavily.com/', apiKey }: ServicePlace,
  ports: ServicePorts,
): SearchProvider {
  return {
    name: 'tavily',
    async search(query, options, signal) {
      const json = {
        query,
        max_results: options.maxResults,
        ...(options.freshness === undefined ? {} : { time_range: options.freshness }),
      };
      const question = { url: new URL('search', base), headers: { authorization: `Bearer ${apiKey}` }, json, path: ['results'] };
      const results = await askForList(question, ports, signal);
      return results.map((result) =>
        toHit(result, { title: 'title', url: 'url', snippet: 'content', published: 'published_date' }),
      );
    },
  };
}

/** Google's Programmable Search Engine, with a key and the id of an engine. The key is sent in a header, since URLs are logged. */
export function googleProvider(
  { url: base = 'https://customsearch.googleapis.com/', apiKey, engineId }: ServicePlace & { readonly engineId: string },
  ports: ServicePorts,
): SearchProvider {
  return {
    name: 'google',
    async search(query, options, signal) {
      const url = withParameters(new URL('customsearch/v1', base), {
        q: query,
        cx: engineId,
        num: String(Math.min(10, options.maxResults)),
        hl: options.language,
        gl: options.country,
        dateRestrict: options.freshness === undefined ? undefined : googleFreshness[options.freshness],
      });
      const results = await askForList({ url, headers: { 'x-goog-api-key': apiKey }, path: ['items'] }, ports, signal);
      return results.map((result) => toHit(result, { title: 'title', url: 'link', snippet: 'snippet' }));
    },
  };
}

/** Returns a URL with its query; undefined parameters are left out. */
export function withParameters(url: URL, parameters: Readonly<Record<string, string | undefined>>): URL {
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function localeOf({ language, country }: SearchOptions): string | undefined {
  return language === undefined || country === undefined ? language : `${language}-${country.toUpperCase()}`;
}

/** Reads a search hit; `fields` maps its properties to the service's names. */
function toHit(result: JsonObject, fields: SearchHit): SearchHit {
  const date = fields.published === undefined ? '' : textField(result, fields.published);
  return {
    title: textField(result, fields.title),
    url: textField(result, fields.url),
    snippet: textField(result, fields.snippet),
    ...(date === '' ? {} : { published: date }),
  };
}
