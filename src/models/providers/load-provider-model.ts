import { CadreError, describeThrown } from '../../core/error.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ProviderSettings } from '../../core/model/provider-settings.ts';
import { parseAiSdkModel, type AiSdkModel } from '../adapter/ai-sdk-model.ts';
import { withConnectionListener } from '../adapter/connection-watch.ts';
import { fetchWithoutKey, guardedFetch, noKey } from '../adapter/guarded-fetch.ts';
import type { ProviderPackage, UsedProvider } from './provider-packages.ts';

/**
 * Imports a provider's package and creates the config's model with the given key and settings. Throws `DEPENDENCY_MISSING` with the install
 * command when the package is missing.
 */
export async function loadProviderModel(
  used: Pick<UsedProvider, 'package' | 'baseUrl'>,
  config: LlmConfig,
  { model, apiKey, settings }: { readonly model: string; readonly apiKey: string | undefined; readonly settings: ProviderSettings },
): Promise<AiSdkModel> {
  const { package: provider, baseUrl } = used;
  // An empty key keeps a package from the process's environment, and makes it sign.
  const isSigned = settings.signedWith !== undefined;
  const create = findFactory(await importPackage(provider, config.name), provider);
  const createModel: unknown = create({
    // Name under which an LLM config gives provider options for such servers; other packages have their own.
    ...(provider.needsName === true && { name: 'openaiCompatible' }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...settings.values,
    ...((apiKey !== undefined || provider.needsKey === true) && { apiKey: apiKey ?? (isSigned ? '' : noKey) }),
    ...(provider.needsName === true && { includeUsage: true }),
    fetch: apiKey === undefined && !isSigned ? fetchWithoutKey : guardedFetch,
  });
  if (typeof createModel !== 'function') throw strangePackage(provider);
  const api = config.api ?? settings.api;
  const ofApi: unknown = api === undefined || provider.hasApis !== true ? createModel : Reflect.get(createModel, api);
  if (typeof ofApi !== 'function') throw strangePackage(provider);
  return withConnection(parseAiSdkModel(ofApi(model), config.name));
}

/** Returns the model, reporting each request's connection to its attempt. */
function withConnection(model: AiSdkModel): AiSdkModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    tellsConnection: true,
    doStream: ({ connection, ...options }) =>
      connection === undefined ? model.doStream(options) : withConnectionListener(connection, () => model.doStream(options)),
  };
}

/** True when a provider's package can be imported; does not load it. */
export function isInstalled(provider: ProviderPackage): boolean {
  try {
    import.meta.resolve(provider.packageName);
    return true;
  } catch {
    return false;
  }
}

/** Builds the error for a provider whose package is not installed. */
export function missingPackage(provider: ProviderPackage, configName: string, cause?: unknown): CadreError {
  return new CadreError(
    'DEPENDENCY_MISSING',
    `The LLM config "${configName}" needs the package ${provider.packageName}, which cannot be loaded` +
      `${cause === undefined ? '' : ` (${describeThrown(cause)})`}. Install it with: npm install ${provider.packageName}`,
  );
}

async function importPackage(provider: ProviderPackage, configName: string): Promise<unknown> {
  try {
    return await (provider.load?.() ?? import(provider.packageName));
  } catch (thrown) {
    throw missingPackage(provider, configName, thrown);
  }
}

function findFactory(loaded: unknown, provider: ProviderPackage): (options: object) => unknown {
  const exported: ReadonlyMap<string, unknown> = new Map(
    typeof loaded === 'object' && loaded !== null ? Object.entries(loaded) : [],
  );
  for (const name of provider.factories) {
    const factory = exported.get(name);
    if (typeof factory === 'function') return (options) => factory(options);
  }
  throw strangePackage(provider);
}

function strangePackage(provider: ProviderPackage): CadreError {
  return new CadreError(
    'DEPENDENCY_MISSING',
    `The installed version of ${provider.packageName} does not export ${provider.factories.join(' or ')} in a form that is understood. ` +
      `Install a current one with: npm install ${provider.packageName}@latest`,
  );
}
