import { CadreError, toErrorRecord } from '../../../core/error.ts';
import type { SearchHit, SearchOptions, SearchProvider } from './search-provider.ts';

/** What a search came to. */
export interface SearchOutcome {
  /** Who answered; undefined when nobody found anything, but at least one looked. */
  readonly provider: string;
  readonly hits: readonly SearchHit[];
  /** Those that were asked before, and why they did not do. */
  readonly passed: readonly { readonly provider: string; readonly reason: string }[];
}

/** How providers are asked. */
export interface Asking {
  /** The time each provider gets. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told of each provider that did not do. */
  readonly onPassed: (provider: string, reason: string) => void;
}

const maxTitle = 300;
const maxSnippet = 1_000;

/**
 * Asks one provider after the other until one finds something. One that fails, takes too long or finds nothing is passed over.
 *
 * @throws CadreError `TOOL_FAILED` with everyone's reason when none of them could answer
 */
export async function askProviders(
  providers: readonly SearchProvider[],
  query: string,
  options: SearchOptions,
  asking: Asking,
): Promise<SearchOutcome> {
  const passed: { provider: string; reason: string }[] = [];
  let looked: string | undefined;
  for (const provider of providers) {
    let reason: string;
    try {
      const hits = toHits(await askOne(provider, query, options, asking), options.maxResults);
      if (hits.length > 0) return { provider: provider.name, hits, passed };
      looked ??= provider.name;
      reason = 'found nothing';
    } catch (thrown) {
      asking.signal.throwIfAborted();
      reason = toErrorRecord(thrown, 'TOOL_FAILED').message.slice(0, 300);
    }
    passed.push({ provider: provider.name, reason });
    asking.onPassed(provider.name, reason);
  }
  if (looked !== undefined) return { provider: looked, hits: [], passed: passed.filter(({ provider }) => provider !== looked) };
  const reasons = passed.map(({ provider, reason }) => `${provider}: ${reason}`).join('\n');
  throw new CadreError('TOOL_FAILED', `No search provider could answer.\n${reasons}`);
}

/** One provider's answer within its time, whether or not it listens to its signal. */
async function askOne(provider: SearchProvider, query: string, options: SearchOptions, asking: Asking): Promise<unknown> {
  const { timeoutMs } = asking;
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(timeoutMs)]);
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error(`no answer within ${timeoutMs / 1000} s`));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([provider.search(query, options, signal), over]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What a provider answered, made clean: links to pages only, each once, texts in one line and not too long. */
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
