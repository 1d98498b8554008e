import type { ContentPart } from '../../core/prompt/message.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { fetchResource, type WebResource } from './fetch-resource.ts';
import { readPage, type ReadPage } from './read-page.ts';
import type { HostResolver } from './resolve-host.ts';
import type { WebSettings } from './web-settings.ts';

/** Most characters of a page in one result. */
const maxShown = 30_000;

/** Creates the tool that reads one web page as Markdown. */
export function fetchPageTool(request: ToolsetRequest, settings: WebSettings, resolver: HostResolver): EffectTool {
  return defineTool({
    name: request.toolName('fetch_page'),
    toolset: request.name,
    description:
      'Reads a page of the web: HTML as Markdown with absolute links, text and JSON as they are, PDF and images as files. ' +
      'Long pages are shown in parts; read on with "from".',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['url'],
      properties: {
        url: { type: 'string', description: 'An absolute http or https URL.' },
        from: { type: 'integer', minimum: 0, description: 'The character to read from, when a page was shown in part.' },
        whole: { type: 'boolean', description: 'The whole page with its menus, instead of its main text.' },
      },
    },
    effect: 'idempotent',
    trust: 'untrusted',
    // Fetching a page and converting it have their own limits and messages.
    timeout_ms: settings.fetchTimeoutMs * 2 + 1_000,
    max_result_chars: maxShown + 4_000,
    async execute(args, { signal, live }): Promise<ToolReturn> {
      const { policy, fetchTimeoutMs: timeoutMs, maxBytes, maxRedirects, userAgent } = settings;
      const options = { policy, resolver, timeoutMs, maxBytes, maxRedirects, userAgent };
      const resource = await fetchResource(String(args['url']).trim(), options, signal);
      const sandbox = settings.sandbox ? live : undefined;
      const reading = { whole: args['whole'] === true, timeoutMs: Math.ceil(timeoutMs / 2), sandbox };
      const page = await readPage(resource, reading, signal);
      return toolReturn({ content: toContent(resource, page, Number(args['from'] ?? 0)) });
    },
  });
}

function toContent(resource: WebResource, page: ReadPage, from: number): string | readonly ContentPart[] {
  const [first] = resource.redirects;
  const head = [
    ...(page.title === '' ? [] : [`# ${page.title.slice(0, 300)}`]),
    `URL: ${resource.url}${first === undefined ? '' : ` (redirected from ${first})`}`,
    ...page.notes.map((note) => `(${note})`),
  ].join('\n');
  if (page.file !== undefined) return [{ type: 'text', text: head }, page.file];
  return `${head}\n\n${window(page.text, from)}`;
}

function window(text: string, from: number): string {
  if (text === '') return '(The page has no text. It may need a browser that runs its scripts.)';
  if (from >= text.length) return `(The page has only ${text.length} characters.)`;
  const end = endOfWindow(text, from);
  const before = from === 0 ? '' : `[… characters 0 to ${from} left out …]\n\n`;
  const after = end === text.length ? '' : `\n\n[… cut at character ${end} of ${text.length}; read on with "from": ${end} …]`;
  return `${before}${text.slice(from, end)}${after}`;
}

/** Returns the end of the window of text: at a line's end, when one is near. */
function endOfWindow(text: string, from: number): number {
  const end = from + maxShown;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end);
  return line > end - 2_000 ? line + 1 : end;
}
