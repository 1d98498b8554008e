import type { ToolsetKind } from '../../core/toolset.ts';
import { fetchPageTool } from './fetch-page.ts';
import { systemResolver, type HostResolver } from './resolve-host.ts';
import { readWebSettings, webSettingsSchema } from './web-settings.ts';

/** What the toolset `web` uses of the outside; everything has a default. */
export interface WebPorts {
  readonly resolver?: HostResolver;
}

/** Makes the kind of toolset `web`, with ports of one's own. */
export function defineWebToolset({ resolver = systemResolver }: WebPorts = {}): ToolsetKind {
  return {
    kind: 'web',
    description: 'Reads pages of the web.',
    settings: webSettingsSchema,
    tools: ['fetch_page'],
    create: (request) => {
      const settings = readWebSettings(request.settings);
      return { tools: [fetchPageTool(request, settings, resolver)] };
    },
  };
}

/** The toolset `web`: reads pages of the web. */
export const webToolset: ToolsetKind = defineWebToolset();
