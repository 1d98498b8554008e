import { CadreError } from '../../core/error.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import { programWords } from '../../files/programs/agreed-program.ts';
import type { Reach, ToolsetKind } from '../../core/tool/toolset.ts';
import { systemResolver, type HostResolver } from '../web/resolve-host.ts';
import { BrowserHost, type BrowserRequest } from './browser-host.ts';
import { browserSettingsSchema, readBrowserSettings, type BrowserSettings } from './browser-settings.ts';
import { privateReaches } from '../web/web-settings.ts';
import { browserToolNames, createBrowserTools } from './browser-tools.ts';
import type { CodedObserver } from '../../core/env.ts';
import { isJsonObject } from '../../core/json.ts';

/**
 * Shows an agent the state of its browser for one turn: URL, title, tabs and the beginning of the last snapshot, as its last call left
 * them. The text is framed as external data.
 */
const browserStateObserver: CodedObserver = {
  name: 'browser_state',
  observe: ({ agent }) => {
    const state = agent.values['browser'];
    return isJsonObject(state) ? [{ type: 'add_to_inbox', source: 'BROWSER_STATE', payload: state }] : [];
  },
};

/** Defines the kind of toolset `browser`; tests pass their own resolver. */
export function defineBrowserToolset(resolver: HostResolver = systemResolver): ToolsetKind {
  return {
    kind: 'browser',
    description: 'Opens pages in a browser of the agent’s own, reads them and acts on them.',
    settings: browserSettingsSchema,
    tools: browserToolNames,
    observers: [browserStateObserver.name],
    reaches: (settings) => browserReaches(readBrowserSettings(settings)),
    create: (request) => {
      const settings = readBrowserSettings(request.settings);
      const hostOf = (context: ToolContext): Promise<BrowserHost> =>
        openHost(context, `browser:${request.name}`, { settings, resolver });
      return { tools: createBrowserTools({ request, settings, hostOf }), observers: [browserStateObserver] };
    },
  };
}

/** Toolset `browser`: a browser for each agent that uses one. */
export const browserToolset: ToolsetKind = defineBrowserToolset();

function browserReaches({ executable, policy }: BrowserSettings): readonly Reach[] {
  return [
    {
      kind: 'command',
      text: `the browser ${executable ?? 'Chromium or Chrome'}${executable === undefined ? '' : programWords({ argv: [executable], folder: process.cwd() })}, which agents steer`,
    },
    ...privateReaches(policy),
  ];
}

async function openHost(
  context: ToolContext,
  name: string,
  { settings, resolver }: Pick<BrowserRequest, 'settings' | 'resolver'>,
): Promise<BrowserHost> {
  if (settings.sandbox)
    throw new CadreError(
      'SANDBOX_UNAVAILABLE',
      'The browser cannot run in the sandbox: its proxy, its only network access, is outside. Set `sandbox: false`; pages run in the browser’s own sandbox unless the engine runs as root.',
    );
  const open = (): Promise<BrowserHost> =>
    context.live.agent.open(name, async () => {
      const host = await BrowserHost.open({ settings, resolver, workspace: context.workspace });
      return { value: host, close: () => host.close() };
    });
  const host = await open();
  if (!host.isClosed) return host;
  // It crashed: the next call opens another, without its tabs.
  await context.live.agent.close(name);
  return await open();
}
