import { CadreError } from '../../../core/error.ts';
import type { ProviderSetting } from '../web-settings.ts';
import type { ServicePorts } from './ask-service.ts';
import { duckduckgoProvider } from './duckduckgo-provider.ts';
import { braveProvider, googleProvider, searxngProvider, tavilyProvider } from './json-providers.ts';
import type { SearchProvider } from './search-provider.ts';

/** Environment variables that hold the keys of search services. */
export type SearchEnvironment = Readonly<Record<string, string | undefined>>;

/** Sources of providers and keys, and dependencies of the providers. */
export interface ProviderSources {
  /** Providers passed in code. */
  readonly given: readonly SearchProvider[];
  readonly environment: SearchEnvironment;
  readonly ports: ServicePorts;
}

/**
 * Returns the configured providers in their order; by default, those passed in code, those the environment has keys for, and DuckDuckGo,
 * which needs none.
 *
 * @throws CadreError `OPTION_INVALID` when a setting lacks what its provider needs
 */
export function chooseProviders(
  settings: readonly ProviderSetting[] | undefined,
  sources: ProviderSources,
): readonly SearchProvider[] {
  if (settings !== undefined) return settings.map((setting) => toProvider(setting, sources));
  return [...sources.given, ...impliedBy(sources.environment).map((setting) => toProvider(setting, sources))];
}

function impliedBy(environment: SearchEnvironment): readonly ProviderSetting[] {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  return [
    ...(has('SEARXNG_URL') ? [{ type: 'searxng' } as const] : []),
    ...(has('BRAVE_API_KEY') ? [{ type: 'brave' } as const] : []),
    ...(has('TAVILY_API_KEY') ? [{ type: 'tavily' } as const] : []),
    ...(has('GOOGLE_SEARCH_API_KEY') && has('GOOGLE_SEARCH_ENGINE_ID') ? [{ type: 'google' } as const] : []),
    { type: 'duckduckgo' },
  ];
}

function toProvider(setting: ProviderSetting, { given, environment, ports }: ProviderSources): SearchProvider {
  const { type, url } = setting;
  const need = (value: string | undefined, key: string, variable: string): string => {
    const found = value ?? environment[variable];
    if (found !== undefined && found !== '') return found;
    throw new CadreError(
      'OPTION_INVALID',
      `The search provider ${type} needs \`${key}\` in the settings, or ${variable} in the environment.`,
    );
  };
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CadreError(
      'OPTION_INVALID',
      `The search provider ${type}: url must be an http or https URL, but is ${JSON.stringify(url)}.`,
    );
  switch (type) {
    case 'searxng':
      return searxngProvider(need(url, 'url', 'SEARXNG_URL'), ports);
    case 'brave':
      return braveProvider({ url, apiKey: need(setting.key, 'key', 'BRAVE_API_KEY') }, ports);
    case 'tavily':
      return tavilyProvider({ url, apiKey: need(setting.key, 'key', 'TAVILY_API_KEY') }, ports);
    case 'google': {
      const apiKey = need(setting.key, 'key', 'GOOGLE_SEARCH_API_KEY');
      return googleProvider({ url, apiKey, engineId: need(setting.engineId, 'engine_id', 'GOOGLE_SEARCH_ENGINE_ID') }, ports);
    }
    case 'duckduckgo':
      return duckduckgoProvider(url, ports);
    case 'given':
      return findGiven(setting.name, given);
  }
}

function findGiven(name: string | undefined, given: readonly SearchProvider[]): SearchProvider {
  const found = given.find((provider) => provider.name === name);
  if (found !== undefined) return found;
  const names = given.map((provider) => provider.name);
  throw new CadreError(
    'OPTION_INVALID',
    `No search provider named '${name ?? ''}' was handed in; there ${names.length === 0 ? 'are none' : `is ${names.join(', ')}`}.`,
  );
}
