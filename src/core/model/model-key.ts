import type { LlmConfig } from './llm-config.ts';
import { findProvider, isAddressOf, splitModelName } from './model-provider.ts';

/** Environment variable of a gateway's key: sent to addresses that the user set, whatever the provider. */
export const gatewayKeyVar = 'CADRE_API_KEY';

/** Environment variables by which a user selects the model and its address. */
export const userModelVars = { model: 'CADRE_MODEL', base_url: 'CADRE_BASE_URL' } as const;

/** Source of the key for an LLM config's calls. */
export interface KeySource {
  /** Environment variables in reading order; the first that is set holds the key. */
  readonly variables: readonly string[];
  /** True when the config cannot be called without a key. */
  readonly isRequired: boolean;
  /** Variable of the provider's key, which is not sent to an address from a file. */
  readonly withheld?: string;
}

const noKey: KeySource = { variables: [], isRequired: false };

/**
 * Returns the variables that may hold the key of a config's calls. A config that names a variable gets that one. Otherwise the
 * provider's key goes to the provider's own address, and to one that the user set (a whole environment variable); an address
 * written in a file gets none, so that a team from elsewhere cannot collect keys.
 */
export function keySourceOf(
  config: Pick<LlmConfig, 'provider' | 'model' | 'baseUrl' | 'baseUrlVar' | 'apiKeyVar' | 'api'>,
): KeySource {
  const { apiKeyVar, baseUrl, baseUrlVar } = config;
  if (apiKeyVar !== undefined) return { variables: [apiKeyVar], isRequired: true };
  const name = config.provider === '' ? (splitModelName(config.model)?.provider ?? '') : config.provider;
  const provider = findProvider(name);
  if (provider === undefined) return noKey;
  const own = provider.keyVar === undefined ? [] : [provider.keyVar];
  const isRequired = own.length > 0 && provider.isKeyOptional !== true;
  if (baseUrl === undefined || isAddressOf(provider, baseUrl)) return { variables: own, isRequired };
  if (baseUrlVar === undefined) return provider.keyVar === undefined ? noKey : { ...noKey, withheld: provider.keyVar };
  return { variables: [gatewayKeyVar, ...own], isRequired: isRequired && !isCompatibleServer(name, config.api) };
}

/** Returns the key with its variable; undefined when none of its variables is set. */
export function readKey(
  { variables }: KeySource,
  env: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly value: string } | undefined {
  for (const variable of variables) {
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    if (value !== undefined && value !== '') return { variable, value };
  }
  return undefined;
}

/** Describes, for an authentication error, which variable was read and whether a key was sent; never the key itself. */
export function describeKey(config: LlmConfig, env: Readonly<Record<string, string | undefined>>): string {
  const source = keySourceOf(config);
  const key = readKey(source, env);
  if (key !== undefined) return `A key was sent, read from ${key.variable}.`;
  const [first, second] = source.variables;
  if (first !== undefined)
    return `No key was sent: ${second === undefined ? `${first} is not set` : `neither ${first} nor ${second} is set`}.`;
  const name = source.withheld ?? 'TEAM_KEY';
  return (
    `No key was sent: ${source.withheld === undefined ? '' : `${name} is withheld, since `}the LLM config "${config.name}" sets the address ` +
    `itself and names no variable. If the key may go there, add api_key: { _type: from_env, var: ${name} } to the config.`
  );
}

/** True for `openai` at another address without an `api`: such servers often need no key. */
function isCompatibleServer(provider: string, api: LlmConfig['api']): boolean {
  return provider === 'openai' && api === undefined;
}
