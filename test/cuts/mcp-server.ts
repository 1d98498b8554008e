/*
 * An MCP server as a process: `node mcp-server.ts PORT LEDGER`. Its tool `record` writes a line `record JOB ID`, and cannot be undone. Prints
 * `ready`.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [port = '0', ledger = ''] = process.argv.slice(2);
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'records', version: '1' }, { capabilities: { tools: {} } });
  server.registerTool(
    'record',
    { description: 'Records a payment.', inputSchema: z.object({ job: z.number(), id: z.number() }) },
    async ({ job, id }) => {
      appendFileSync(ledger, `record ${job} ${id}\n`);
      await pause(30);
      return { content: [{ type: 'text', text: 'recorded' }] };
    },
  );
  return server;
});
const serve = toNodeHandler(handler);
const server = createServer((request, response) => {
  response.on('error', () => undefined);
  void serve(request as Parameters<typeof serve>[0], response);
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('disconnect', () => process.exit(1));
