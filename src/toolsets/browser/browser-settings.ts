import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { durationOf, durationSetting } from '../settings.ts';
import type { UrlPolicy } from '../web/url-policy.ts';
import { readUrlPolicy, urlPolicySchema } from '../web/web-settings.ts';

/** The settings of the toolset `browser`, with their defaults. */
export interface BrowserSettings {
  readonly policy: UrlPolicy;
  /** Path of the program; searched in the usual places when undefined. */
  readonly executable: string | undefined;
  readonly sandbox: boolean;
  /** Time limit for opening a page, in milliseconds. */
  readonly pageTimeoutMs: number;
  /** Time limit for anything else, in milliseconds. */
  readonly actionTimeoutMs: number;
  readonly maxTabs: number;
  readonly maxBytes: number;
  readonly maxDownloadBytes: number;
  /** Adds a picture of the window to each answer with a snapshot. */
  readonly screenshots: boolean;
  readonly viewport: { readonly width: number; readonly height: number };
}

/** The JSON Schema of the settings. */
export const browserSettingsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...urlPolicySchema,
    executable: {
      type: 'string',
      minLength: 1,
      description: 'The path of Chromium or Chrome; searched in the usual places when not given.',
    },
    sandbox: {
      type: 'boolean',
      description:
        'true is rejected: the browser cannot run in the sandbox yet. It keeps its own sandbox for pages where the system allows it.',
    },
    page_timeout: durationSetting('Longest time to open a page; default 30s.'),
    action_timeout: durationSetting('Longest time for a click, a text, a snapshot; default 10s.'),
    max_tabs: { type: 'integer', minimum: 1, maximum: 50, description: 'Most tabs that are open at once; default 10.' },
    max_megabytes: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description: 'Most data that a browser may receive in its whole life; default 500.',
    },
    max_download_megabytes: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      description: 'Largest file that is downloaded; default 50.',
    },
    screenshots: {
      type: 'boolean',
      description: 'true: whatever answers with a snapshot shows a picture of the window, too. Default false.',
    },
    width: { type: 'integer', minimum: 200, maximum: 4_000, description: 'Of the window; default 1280.' },
    height: { type: 'integer', minimum: 200, maximum: 4_000, description: 'Of the window; default 800.' },
  },
};

/** Reads settings already checked against their schema. */
export function readBrowserSettings(settings: JsonObject): BrowserSettings {
  const number = (key: string, fallback: number): number => {
    const value = settings[key];
    return typeof value === 'number' ? value : fallback;
  };
  const { executable } = settings;
  return {
    policy: readUrlPolicy(settings),
    executable: typeof executable === 'string' ? executable : undefined,
    sandbox: settings['sandbox'] === true,
    pageTimeoutMs: durationOf(settings, 'page_timeout', 30_000),
    actionTimeoutMs: durationOf(settings, 'action_timeout', 10_000),
    maxTabs: number('max_tabs', 10),
    maxBytes: number('max_megabytes', 500) * 1_000_000,
    maxDownloadBytes: number('max_download_megabytes', 50) * 1_000_000,
    screenshots: settings['screenshots'] === true,
    viewport: { width: number('width', 1_280), height: number('height', 800) },
  };
}
