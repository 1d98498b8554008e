/** A program with a toolset of kind `mcp`, whose settings it is given: `node host-process.ts '{ … }'`. It says when the server is ready, and stays. */
import type { JsonObject } from '../../../src/core/json.ts';
import { connectMcp } from './mcp-host.ts';

const server = connectMcp('s', JSON.parse(process.argv[2] ?? '{}') as JsonObject);
await server.ready();
console.log('ready');
setInterval(() => undefined, 1_000);
