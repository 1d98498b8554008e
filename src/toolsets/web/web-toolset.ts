import type { JsonObject } from '../../core/json.ts';
import type { Toolset, ToolsetKind } from '../../core/tool/toolset.ts';
import { systemResolver, type HostResolver } from './resolve-host.ts';
import { chooseProviders, type SearchEnvironment } from './search/choose-providers.ts';
import type { SearchProvider } from './search/search-provider.ts';
import { searchWebTool } from './search/search-web.ts';
import { readWebSettings, webReaches, webSettingsSchema } from './web-settings.ts';
import { fetchPageTool } from './fetch-page.ts';

export type { SearchHit, SearchOptions, SearchProvider } from './search/search-provider.ts';

/** External dependencies of the toolset `web`, all with defaults. */
export interface WebPorts {
  /** Custom search providers: asked first, unless the settings give an order. */
  readonly searchProviders?: readonly SearchProvider[];
  /** Resolves host names; every address is checked. */
  readonly resolver?: HostResolver;
  /** Source of the search services' keys. */
  readonly environment?: SearchEnvironment;
}

/**
 * Creates the toolset `web` for `createEngine({ toolsets: { web: createWebToolset({ … }) } })`, for example with custom search providers.
 * Its tools keep their plain names.
 */
export function createWebToolset(
  options: WebPorts & { readonly settings?: JsonObject },
): (request: { readonly name: string }) => Toolset {
  const { settings = {}, ...ports } = options;
  return ({ name }) => defineWebToolset(ports).create({ name, settings, toolName: (tool) => tool });
}

/** Defines the kind of toolset `web` with custom dependencies. */
export function defineWebToolset(ports: WebPorts = {}): ToolsetKind {
  const { searchProviders = [], resolver = systemResolver, environment = process.env } = ports;
  return {
    kind: 'web',
    description: 'Searches the web and reads its pages.',
    settings: webSettingsSchema,
    tools: ['search_web', 'fetch_page'],
    reaches: webReaches,
    create: (request) => {
      const settings = readWebSettings(request.settings);
      const { searchTimeoutMs: timeoutMs, userAgent } = settings;
      const choose = (): readonly SearchProvider[] =>
        chooseProviders(settings.providers, {
          given: searchProviders,
          environment,
          ports: { resolver, timeoutMs, userAgent },
        });
      // Settings that name providers are checked now; the environment is read when it is needed.
      const named = settings.providers === undefined ? undefined : choose();
      return {
        tools: [searchWebTool(request, settings, () => named ?? choose()), fetchPageTool(request, settings, resolver)],
      };
    },
  };
}

/** Toolset `web`: searches the web and reads its pages. */
export const webToolset: ToolsetKind = defineWebToolset();
