import type { Page } from 'playwright-core';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import type { FilePart, TextPart } from '../../core/prompt/message.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import type { BrowserHost } from './browser-host.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { bounded } from './bounded.ts';
import { describePage } from './describe-page.ts';
import * as actions from './page-actions.ts';

/** Returns the browser of the calling agent. */
export type HostOf = (context: ToolContext) => Promise<BrowserHost>;

interface ActionTool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Requires a person's approval, since it may change something outside. */
  readonly acts: boolean;
  readonly action: actions.PageAction;
}

const ref = {
  type: 'string',
  pattern: '^(f\\d+)?e\\d+$',
  description: 'The element, by its ref in the last snapshot, such as e12.',
};

const actionTools: readonly ActionTool[] = [
  {
    name: 'open_page',
    description: 'Opens a URL in the browser.',
    properties: { url: { type: 'string' }, new_tab: { type: 'boolean' } },
    required: ['url'],
    acts: true,
    action: actions.openPage,
  },
  { name: 'go_back', description: 'Goes back to the page before.', properties: {}, acts: true, action: actions.goBack },
  {
    name: 'snapshot_page',
    description: 'Shows the page as it is now.',
    properties: {},
    acts: false,
    action: () => Promise.resolve(),
  },
  {
    name: 'click',
    description: 'Clicks an element.',
    properties: { ref, double: { type: 'boolean' }, button: { enum: ['left', 'right'] } },
    required: ['ref'],
    acts: true,
    action: actions.click,
  },
  {
    name: 'type_text',
    description: 'Replaces the text of a field; submit presses Enter afterwards.',
    properties: { ref, text: { type: 'string', maxLength: 20_000 }, submit: { type: 'boolean' } },
    required: ['ref', 'text'],
    acts: true,
    action: actions.typeText,
  },
  {
    name: 'select_option',
    description: 'Chooses options of a list, by their values or labels.',
    properties: { ref, values: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string' } } },
    required: ['ref', 'values'],
    acts: true,
    action: actions.selectOption,
  },
  {
    name: 'press_key',
    description: 'Presses a key where the focus is: Enter, Escape, Tab, ArrowDown, Control+A.',
    properties: { key: { type: 'string', minLength: 1, maxLength: 50 } },
    required: ['key'],
    acts: true,
    action: actions.pressKey,
  },
  {
    name: 'scroll_page',
    description: 'Scrolls up or down most of a window, or an element into view.',
    properties: { direction: { enum: ['down', 'up'] }, ref },
    acts: false,
    action: actions.scrollPage,
  },
  {
    name: 'use_tab',
    description: 'Switches to a tab by its number, or closes it.',
    properties: { tab: { type: 'integer', minimum: 1 }, close: { type: 'boolean' } },
    required: ['tab'],
    acts: false,
    action: actions.useTab,
  },
  {
    name: 'wait_for',
    description: 'Waits until a text is on the page, or for some seconds.',
    properties: { text: { type: 'string', minLength: 1, maxLength: 500 }, seconds: { type: 'number', minimum: 0.1, maximum: 30 } },
    acts: false,
    action: actions.waitFor,
  },
];

/** Names of all tools of the toolset. */
export const browserToolNames: readonly string[] = [...actionTools.map(({ name }) => name), 'read_page_text', 'take_screenshot'];

const maxTextChars = 20_000;

/** Request, settings and browsers for creating the tools. */
export interface BrowserToolParts {
  readonly request: ToolsetRequest;
  readonly settings: BrowserSettings;
  readonly hostOf: HostOf;
}

/** Creates the tools of the toolset `browser`. */
export function createBrowserTools(parts: BrowserToolParts): readonly EffectTool[] {
  return [...actionTools.map((tool) => createActionTool(tool, parts)), readPageText(parts), takeScreenshot(parts)];
}

function common(name: string, { request, settings }: BrowserToolParts) {
  return {
    name: request.toolName(name),
    toolset: request.name,
    trust: 'untrusted',
    by_name_only: true,
    // One after the other, in the model's order.
    concurrency: 'serial',
    // Each step has its own limit; this one covers a whole call, including the browser's start.
    timeout_ms: settings.pageTimeoutMs * 2 + settings.actionTimeoutMs * 4 + 10_000,
  } as const;
}

function createActionTool(tool: ActionTool, parts: BrowserToolParts): EffectTool {
  const { settings, hostOf } = parts;
  return defineTool({
    ...common(tool.name, parts),
    description: `${tool.description} Answers with the page: its URL, tabs, and a snapshot with the refs of its elements.`,
    parameters: parametersOf(tool.properties, tool.required),
    ...(tool.acts ? { effect: 'unsafe', needs_approval: true } : { effect: 'idempotent' }),
    async execute(args: JsonObject, context): Promise<ToolReturn> {
      const host = await hostOf(context);
      await tool.action(host, args, context.signal);
      const { text, state } = await describePage(host, context.signal);
      const values = { browser: state };
      if (!settings.screenshots) return toolReturn({ content: text, values });
      const picture = await pictureOf(await host.page(), { timeoutMs: settings.actionTimeoutMs, signal: context.signal }).catch(
        (thrown: unknown): TextPart => {
          context.signal.throwIfAborted();
          // The action has happened, even if its result cannot be shown.
          return { type: 'text', text: `\n(${describeThrown(thrown)})` };
        },
      );
      return toolReturn({ content: [{ type: 'text', text }, picture], values });
    },
  });
}

function readPageText(parts: BrowserToolParts): EffectTool {
  const { settings, hostOf } = parts;
  return defineTool({
    ...common('read_page_text', parts),
    description: `Reads the text of the page as a person sees it, ${maxTextChars} characters at a time.`,
    parameters: parametersOf({ from: { type: 'integer', minimum: 0, description: 'The character to read from.' } }),
    effect: 'idempotent',
    async execute(args: JsonObject, context): Promise<string> {
      const page = await (await hostOf(context)).page();
      const from = Number(args['from'] ?? 0);
      const script = `(() => { const text = document.body?.innerText ?? ''; return [text.slice(${from}, ${from + maxTextChars}), text.length]; })()`;
      const read = page.evaluate<readonly [string, number]>(script);
      const [text, length] = await bounded(read, {
        ms: settings.actionTimeoutMs,
        what: 'Reading the text',
        signal: context.signal,
      });
      const end = Math.min(length, from + maxTextChars);
      return `URL: ${page.url()}\n\n${text}${end < length ? `\n\n[… cut at character ${end} of ${length}; read on with "from": ${end} …]` : ''}`;
    },
  });
}

function takeScreenshot(parts: BrowserToolParts): EffectTool {
  const { settings, hostOf } = parts;
  return defineTool({
    ...common('take_screenshot', parts),
    description: 'Shows a picture of the window, or of one element.',
    parameters: parametersOf({ ref }),
    effect: 'idempotent',
    async execute(args: JsonObject, context): Promise<ToolReturn> {
      const page = await (await hostOf(context)).page();
      const picture = await pictureOf(page, {
        timeoutMs: settings.actionTimeoutMs,
        signal: context.signal,
        ref: args['ref'],
      });
      return toolReturn({ content: [{ type: 'text', text: `A picture of ${page.url().slice(0, 500)}:` }, picture] });
    },
  });
}

/** Takes a picture of the window, or of the element with this ref. */
async function pictureOf(
  page: Page,
  { timeoutMs, signal, ref }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly ref?: JsonValue | undefined },
): Promise<FilePart> {
  const options = { type: 'jpeg', quality: 80, timeout: timeoutMs } as const;
  const shot = ref === undefined ? page.screenshot(options) : page.locator(`aria-ref=${String(ref)}`).screenshot(options);
  const bytes = await bounded(shot, { ms: timeoutMs + 500, what: 'A screenshot', signal }).catch((thrown: unknown): never => {
    signal.throwIfAborted();
    throw thrown instanceof CadreError
      ? thrown
      : new CadreError('TOOL_FAILED', 'The page could not be pictured.', { cause: thrown });
  });
  return { type: 'file', mediaType: 'image/jpeg', data: { type: 'data', data: bytes.toString('base64') } };
}

function parametersOf(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', additionalProperties: false, required, properties };
}
