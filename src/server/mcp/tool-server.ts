import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { cutMiddle } from '../../core/cut-middle.ts';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import type { ContentPart } from '../../core/prompt/message.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { engineVersion } from '../../engine/version.ts';
import type { ServerLibrary } from './server-library.ts';
import type { CallEnd, ToolDesk } from './tool-desk.ts';
import { contentParts } from '../../core/prompt/message.ts';

/** Maximum length of a text in an answer, in characters. */
const maxAnswerChars = 60_000;

/** Returns a factory of servers that offer the tools of a desk. */
export function toolServerFactory(library: ServerLibrary, desk: ToolDesk, stopped: AbortSignal): () => Server {
  return () => {
    const server = new library.Server({ name: 'cadre-tools', version: engineVersion }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => {
      const tools = await desk.list();
      return { tools: tools.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema, type: 'object' as const } })) };
    });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const token = mcpReq._meta?.progressToken;
      let count = 0;
      const progress = (message: string): void => {
        if (token === undefined) return;
        count += 1;
        // A client that has disconnected gets no progress; its signal ends the call.
        mcpReq
          .notify({
            method: 'notifications/progress',
            params: { progressToken: token, progress: count, message: message.slice(0, 200) },
          })
          .catch(() => undefined);
      };
      try {
        const args = toWire(params.arguments ?? {});
        if (!isJsonObject(args)) throw new CadreError('TOOL_ARGUMENTS_INVALID', `${params.name}: the arguments must be an object`);
        return toResult(await desk.call(params.name, args, { signal: AbortSignal.any([mcpReq.signal, stopped]), progress }));
      } catch (thrown) {
        const { code, message } = toErrorRecord(thrown, 'INTERNAL');
        return { content: [{ type: 'text', text: `${code}: ${message}` }], isError: true };
      }
    });
    return server;
  };
}

function toResult({ status, content }: CallEnd): CallToolResult {
  return { content: contentParts(content).map(toPart), ...(status === 'ok' ? {} : { isError: true }) };
}

function toPart(part: ContentPart): CallToolResult['content'][number] {
  if (part.type === 'text')
    return { type: 'text', text: cutMiddle(part.text, maxAnswerChars, (left) => `\n… ${left} characters left out …\n`) };
  const { mediaType, data, filename } = part;
  const uri = data.type === 'url' ? data.url : `file:///${encodeURIComponent(filename ?? 'file')}`;
  if (data.type === 'url') return { type: 'resource_link', uri, name: filename ?? 'file', mimeType: mediaType };
  if (data.type === 'text') return { type: 'resource', resource: { uri, mimeType: mediaType, text: data.text } };
  if (mediaType.startsWith('image/')) return { type: 'image', data: data.data, mimeType: mediaType };
  if (mediaType.startsWith('audio/')) return { type: 'audio', data: data.data, mimeType: mediaType };
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data.data } };
}
