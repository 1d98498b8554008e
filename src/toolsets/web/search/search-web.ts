import type { JsonObject } from '../../../core/json.ts';
import type { EffectTool } from '../../../core/tool/tool.ts';
import type { ToolsetRequest } from '../../../core/tool/toolset.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import type { WebSettings } from '../web-settings.ts';
import { askProviders, type SearchOutcome } from './ask-providers.ts';
import type { Freshness, SearchOptions, SearchProvider } from './search-provider.ts';

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
