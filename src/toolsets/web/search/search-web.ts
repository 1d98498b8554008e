import type { JsonObject } from '../../../core/json.ts';
import type { EffectTool } from '../../../core/tool/tool.ts';
import type { ToolsetRequest } from '../../../core/tool/toolset.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import type { WebSettings } from '../web-settings.ts';
import type { Freshness, SearchOptions, SearchProvider, SearchHit } from './search-provider.ts';
import { CadreError, toErrorRecord } from '../../../core/error.ts';

const defaultResults = 8;
const freshnesses = ['day', 'week', 'month', 'year'];

/** Creates the tool that searches the web; `providers` is called at its first call. */
export function searchWebTool(
  request: ToolsetRequest,
  settings: WebSettings,
  providers: () => readonly SearchProvider[],
): EffectTool {
  return defineTool({
    name: request.toolName('search_web'),
    toolset: request.name,
    description: 'Searches the web. Gives titles, URLs and short extracts; read a page with fetch_page before you rely on it.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 400, description: 'What to look for, in a few words.' },
        max_results: { type: 'integer', minimum: 1, maximum: 20, description: `Default ${defaultResults}.` },
        language: { type: 'string', pattern: '^[a-z]{2,3}$', description: 'Such as en.' },
        country: { type: 'string', pattern: '^[A-Za-z]{2}$', description: 'Such as us.' },
        freshness: { enum: freshnesses, description: 'Maximum age of results.' },
      },
    },
    effect: 'pure',
    trust: 'untrusted',
    // Each provider has its own limit; this one covers all of them.
    timeout_ms: settings.searchTimeoutMs * 10 + 1_000,
    async execute(args, { signal, progress }) {
      const asked = providers();
      let skipped = 0;
      const outcome = await askProviders(asked, {
        query: String(args['query']),
        options: readOptions(args),
        timeoutMs: settings.searchTimeoutMs,
        signal,
        onSkipped: (provider, reason) => progress(++skipped / asked.length, `${provider}: ${reason}`),
      });
      return formatOutcome(outcome);
    },
  });
}

function readOptions(args: JsonObject): SearchOptions {
  const { max_results: maxResults, language, country, freshness } = args;
  return {
    maxResults: typeof maxResults === 'number' ? maxResults : defaultResults,
    ...(typeof language === 'string' ? { language } : {}),
    ...(typeof country === 'string' ? { country } : {}),
    ...(typeof freshness === 'string' ? { freshness: freshness as Freshness } : {}),
  };
}

function formatOutcome({ provider, hits, skipped }: SearchOutcome): string {
  const before = skipped.length === 0 ? '' : ` (before: ${skipped.map((each) => `${each.provider}: ${each.reason}`).join('; ')})`;
  if (hits.length === 0) return `Nothing was found by ${provider}${before}. Try other or fewer words.`;
  const items = hits.map(({ title, url, snippet, published }, index) =>
    [
      `${index + 1}. ${title}`,
      `   ${url}`,
      ...(published === undefined ? [] : [`   ${published}`]),
      ...(snippet === '' ? [] : [`   ${snippet}`]),
    ].join('\n'),
  );
  return `Found by ${provider}${before}:\n\n${items.join('\n\n')}`;
}

/** Result of a search. */
interface SearchOutcome {
  /** Provider that answered; undefined when at least one searched but none found anything. */
  readonly provider: string;
  readonly hits: readonly SearchHit[];
  /** Providers asked before, and the reason each was skipped. */
  readonly skipped: readonly { readonly provider: string; readonly reason: string }[];
}

/** A search, and the limits and callback for asking providers. */
interface ProviderSearch {
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
async function askProviders(providers: readonly SearchProvider[], search: ProviderSearch): Promise<SearchOutcome> {
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
