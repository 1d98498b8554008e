import type { LlmConfig } from './llm-config.ts';
import { keySourceOf, readKey } from './model-key.ts';
import { providerNameOf, splitModelName } from './model-provider.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Values = Readonly<Record<string, string | boolean>>;

/** Values that a provider's package takes besides an address and a key. */
export interface ProviderSettings {
  /** Values by the package's name for them. */
  readonly values: Values;
  /** Protocol where the config names none. */
  readonly api?: 'chat';
  /** Environment variables that the config cannot be called without, and that are not set. */
  readonly missing: readonly string[];
  /** Values that must not appear in any record. */
  readonly secrets: readonly string[];
  /** Describes the credentials that sign requests, for an authentication error; absent when none do. */
  readonly signedWith?: string;
}

const none: ProviderSettings = { values: {}, missing: [], secrets: [] };

/** Environment variables of the credentials that sign requests to Bedrock, where no key is set. */
export const awsCredentialVars = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/**
 * Reads the settings of a config's provider from the environment. Credentials follow the rule for keys: an address written in a
 * file gets none.
 */
export function providerSettingsOf(config: LlmConfig, env: Env): ProviderSettings {
  const name = nameOf(config);
  if (name === 'azure') return azureSettings(config, env);
  return name === 'bedrock' ? bedrockSettings(config, env) : none;
}

/** True when requests of a config may be signed with AWS credentials. */
export function maySign(config: LlmConfig): boolean {
  const { apiKeyVar, baseUrl, baseUrlVar } = config;
  return nameOf(config) === 'bedrock' && apiKeyVar === undefined && (baseUrl === undefined || baseUrlVar !== undefined);
}

function nameOf({ provider, model }: LlmConfig): string {
  return providerNameOf(provider === '' ? (splitModelName(model)?.provider ?? '') : provider);
}

function azureSettings({ baseUrl }: LlmConfig, env: Env): ProviderSettings {
  const apiVersion = read(env, 'AZURE_API_VERSION');
  const resourceName = baseUrl === undefined ? read(env, 'AZURE_RESOURCE_NAME') : undefined;
  // Versions with a day belong to the addresses of deployments, which have chat completions only.
  const isDated = apiVersion !== undefined && /^\d{4}-/.test(apiVersion);
  return {
    values: {
      ...(apiVersion !== undefined && { apiVersion }),
      ...(isDated && { useDeploymentBasedUrls: true }),
      ...(resourceName !== undefined && { resourceName }),
    },
    ...(isDated && { api: 'chat' }),
    missing: baseUrl === undefined && resourceName === undefined ? ['AZURE_RESOURCE_NAME'] : [],
    secrets: [],
  };
}

function bedrockSettings(config: LlmConfig, env: Env): ProviderSettings {
  const region = read(env, 'AWS_REGION');
  const place: Values = region === undefined ? {} : { region };
  const missingRegion = region === undefined ? ['AWS_REGION'] : [];
  const hasKey = readKey(keySourceOf(config), env) !== undefined;
  if (hasKey || !maySign(config)) return { ...none, values: place, missing: config.baseUrl === undefined ? missingRegion : [] };
  const [id, secret, token] = awsCredentialVars;
  const accessKeyId = read(env, id);
  const secretAccessKey = read(env, secret);
  const sessionToken = read(env, token);
  if (accessKeyId === undefined && secretAccessKey === undefined)
    return { ...none, values: place, missing: [...missingRegion, `AWS_BEARER_TOKEN_BEDROCK (or ${id} and ${secret})`] };
  if (accessKeyId === undefined || secretAccessKey === undefined)
    return { ...none, values: place, missing: [...missingRegion, accessKeyId === undefined ? id : secret] };
  return {
    values: { ...place, accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    missing: missingRegion,
    secrets: [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
    signedWith: sessionToken === undefined ? `${id} and ${secret}` : `${id}, ${secret} and ${token}`,
  };
}

function read(env: Env, variable: string): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
  return value === '' ? undefined : value;
}
