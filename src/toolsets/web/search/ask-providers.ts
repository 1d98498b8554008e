import { CadreError, toErrorRecord } from '../../../core/error.ts';
import type { SearchHit, SearchOptions, SearchProvider } from './search-provider.ts';

/** Result of a search. */
export interface SearchOutcome {
  /** Provider that answered; undefined when at least one searched but none found anything. */
  readonly provider: string;
  readonly hits: readonly SearchHit[];
  /** Providers asked before, and the reason each was skipped. */
  readonly skipped: readonly { readonly provider: string; readonly reason: string }[];
}

/** A search, and the limits and callback for asking providers. */
export interface ProviderSearch {
  readonly query: string;
  readonly options: SearchOptions;
  /** Time limit of each provider, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called for each provider that is skipped. */
  readonly onSkipped: (provider: string, reason: string) => void;
}

const maxTitle = 300;
const maxSnippet = 1_000;

/**
 * Asks one provider after the other until one finds something. Skips providers that fail, take too long or find nothing.
 *
 * @throws CadreError `TOOL_FAILED` with every provider's reason when none of them could answer
 */
export async function askProviders(providers: readonly SearchProvider[], search: ProviderSearch): Promise<SearchOutcome> {
  const skipped: { provider: string; reason: string }[] = [];
  let searched: string | undefined;
  for (const provider of providers) {
    let reason: string;
    try {
      const hits = toHits(await askOne(provider, search), search.options.maxResults);
      if (hits.length > 0) return { provider: provider.name, hits, skipped };
      searched ??= provider.name;
      reason = 'found nothing';
    } catch (thrown) {
      search.signal.throwIfAborted();
      reason = toErrorRecord(thrown, 'TOOL_FAILED').message.slice(0, 300);
    }
    skipped.push({ provider: provider.name, reason });
    search.onSkipped(provider.name, reason);
  }
  if (searched !== undefined)
    return { provider: searched, hits: [], skipped: skipped.filter(({ provider }) => provider !== searched) };
  const reasons = skipped.map(({ provider, reason }) => `${provider}: ${reason}`).join('\n');
  throw new CadreError('TOOL_FAILED', `No search provider could answer.\n${reasons}`);
}

/** Returns one provider's answer within its time limit, even if it ignores its signal. */
async function askOne(provider: SearchProvider, search: ProviderSearch): Promise<unknown> {
  const { query, options, timeoutMs } = search;
  const signal = AbortSignal.any([search.signal, AbortSignal.timeout(timeoutMs)]);
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error(`no answer within ${timeoutMs / 1000} s`));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([provider.search(query, options, signal), over]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Cleans a provider's answer: links to pages only, each once, with short texts on one line. */
function toHits(answer: unknown, maxResults: number): readonly SearchHit[] {
  if (!Array.isArray(answer)) throw new Error('it did not answer with a list');
  const hits = new Map<string, SearchHit>();
  for (const item of answer as readonly unknown[]) {
    const { title, url, snippet, published } = (item ?? {}) as Partial<Record<keyof SearchHit, unknown>>;
    const target = typeof url === 'string' && url.length <= 2_000 ? URL.parse(url) : null;
    if (target === null || !/^https?:$/.test(target.protocol) || hits.has(target.href)) continue;
    const date = oneLine(published, 40);
    hits.set(target.href, {
      title: oneLine(title, maxTitle) || target.hostname,
      url: target.href,
      snippet: oneLine(snippet, maxSnippet),
      ...(date === '' ? {} : { published: date }),
    });
    if (hits.size === maxResults) break;
  }
  return [...hits.values()];
}

function oneLine(text: unknown, max: number): string {
  if (typeof text !== 'string') return '';
  const line = text
    .slice(0, max * 4)
    .replace(/<\/?(?:b|strong|em|mark)>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}
