import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { durationOf, durationSetting, numberOf, textOf, textsOf } from '../settings.ts';
import type { Reach } from '../../core/tool/toolset.ts';
import type { UrlPolicy } from './url-policy.ts';

/** A search service named in the settings. */
export interface ProviderSetting {
  readonly type: 'searxng' | 'brave' | 'tavily' | 'google' | 'duckduckgo' | 'given';
  /** For `given`: the provider's name. */
  readonly name?: string;
  readonly url?: string;
  readonly key?: string;
  /** For `google`: the id of the programmable search engine. */
  readonly engineId?: string;
}

/** The settings of the toolset `web`, with their defaults. */
export interface WebSettings {
  readonly policy: UrlPolicy;
  readonly fetchTimeoutMs: number;
  readonly searchTimeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly userAgent: string;
  /** Converts HTML in a sandbox instead of on a thread. */
  readonly sandbox: boolean;
  /** Providers in the order they are asked; undefined: those that the environment has keys for. */
  readonly providers: readonly ProviderSetting[] | undefined;
}

const hosts = { type: 'array', items: { type: 'string', minLength: 1 } };
const text = { type: 'string', minLength: 1 };

/** Schema of the URL policy, shared with the browser toolset. */
export const urlPolicySchema: JsonObject = {
  allow_hosts: { ...hosts, description: 'Only these hosts are asked; *.example.org covers all below it. Empty: any public host.' },
  deny_hosts: { ...hosts, description: 'These hosts are never asked.' },
  allow_private: {
    type: 'boolean',
    description: 'Addresses of this machine and its networks may be asked. Metadata servers of clouds still may not.',
  },
};

/** The JSON Schema of the settings. */
export const webSettingsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...urlPolicySchema,
    fetch_timeout: durationSetting('Longest time for one page with its redirects; default 20s.'),
    search_timeout: durationSetting('Longest time one search provider gets; default 10s.'),
    max_bytes: { type: 'integer', minimum: 1_000, maximum: 20_000_000, description: 'Most bytes read of a page; default 2000000.' },
    max_redirects: { type: 'integer', minimum: 0, maximum: 20, description: 'Default 5.' },
    sandbox: {
      type: 'boolean',
      description:
        'true: HTML is read in a sandbox without network and files; calls fail when no sandbox is available. Default false.',
    },
    user_agent: { ...text, description: 'How the tools call themselves to servers.' },
    providers: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      description: 'Search providers in the order they are asked. Default: those with a key in the environment, then DuckDuckGo.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type'],
        'x-mistakes': { api_key: 'it is called key here' },
        properties: {
          type: { enum: ['searxng', 'brave', 'tavily', 'google', 'duckduckgo', 'given'] },
          name: { ...text, description: 'For given: the name of a provider that was handed in by code.' },
          url: { ...text, description: 'Where the provider is, when not at its usual place; required for searxng.' },
          key: { ...text, description: 'Take it from the environment: { _type: from_env, var: … }.' },
          engine_id: { ...text, description: 'For google: the id of the programmable search engine.' },
        },
      },
    },
  },
};

/** Reads settings already checked against their schema. */
export function readWebSettings(settings: JsonObject): WebSettings {
  const providers = settings['providers'];
  return {
    policy: readUrlPolicy(settings),
    fetchTimeoutMs: durationOf(settings, 'fetch_timeout', 20_000),
    searchTimeoutMs: durationOf(settings, 'search_timeout', 10_000),
    maxBytes: numberOf(settings['max_bytes']) ?? 2_000_000,
    maxRedirects: numberOf(settings['max_redirects']) ?? 5,
    userAgent: textOf(settings['user_agent']) ?? 'Mozilla/5.0 (compatible; Cadre; +https://www.npmjs.com/package/cadre)',
    sandbox: settings['sandbox'] === true,
    providers: Array.isArray(providers) ? (providers as readonly JsonObject[]).map(readProvider) : undefined,
  };
}

/** Environment variables that keys of search services are read from when the settings name none. */
const keyVariables: Readonly<Partial<Record<ProviderSetting['type'], string>>> = {
  brave: 'BRAVE_API_KEY',
  tavily: 'TAVILY_API_KEY',
  google: 'GOOGLE_SEARCH_API_KEY',
};

/**
 * Returns the reach of these settings: pages, search services named by address with the keys that these get from the environment, and
 * access beyond public addresses.
 */
export function webReaches(settings: JsonObject): readonly Reach[] {
  const { policy, providers = [] } = readWebSettings(settings);
  const named = providers.flatMap(({ type, url, key }): readonly Reach[] => {
    if (url === undefined) return [];
    const variable = key === undefined ? keyVariables[type] : undefined;
    const sent: readonly Reach[] =
      variable === undefined ? [] : [{ kind: 'variable', text: `${variable} (the key sent to ${url})` }];
    return [{ kind: 'destination', text: url }, ...sent];
  });
  const pages = policy.allowHosts.length === 0 ? 'public addresses' : policy.allowHosts.join(', ');
  return [{ kind: 'destination', text: `${pages}, where agents choose pages` }, ...named, ...privateReaches(policy)];
}

/** Returns the reach of a policy beyond public addresses. */
export function privateReaches({ allowPrivate }: UrlPolicy): readonly Reach[] {
  return allowPrivate ? [{ kind: 'destination', text: 'addresses of this machine and its networks' }] : [];
}

/** Reads the URL policy from settings. */
export function readUrlPolicy(settings: JsonObject): UrlPolicy {
  return {
    allowHosts: textsOf(settings['allow_hosts']),
    denyHosts: textsOf(settings['deny_hosts']),
    allowPrivate: settings['allow_private'] === true,
  };
}

function readProvider(setting: JsonObject): ProviderSetting {
  const name = textOf(setting['name']);
  const url = textOf(setting['url']);
  const key = textOf(setting['key']);
  const engineId = textOf(setting['engine_id']);
  return {
    type: setting['type'] as ProviderSetting['type'],
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(key === undefined ? {} : { key }),
    ...(engineId === undefined ? {} : { engineId }),
  };
}
