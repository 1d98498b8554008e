import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { findProgram } from '../../src/files/programs/find-program.ts';
import { startProcess } from '../../src/files/programs/start-process.ts';
import { listen } from '../../src/server/listen.ts';

it('F170: a program that is gone, or never was there, ends no process when its pipes break', async () => {
  const cat = findProgram('cat', { in: 'system' }).path;
  const child = startProcess([cat], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (const pipe of child.stdio) if (pipe !== null && pipe !== undefined && 'write' in pipe) pipe.write('more');
  const lost = startProcess([cat], { cwd: '/there/is/no/such/folder', stdio: ['pipe', 'pipe', 'pipe'] });
  lost.stdin?.write('words');
  await new Promise((resolve) => lost.once('close', resolve));
  // A signal that may not be sent, a channel that closes: a child may have more than one error.
  expect(() => lost.emit('error', new Error('kill EPERM'))).not.toThrow();
});

it('F170: clients that reset their connection, and one that cannot be accepted, end no server', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    response.once('close', () => {
      for (let at = 0; at < 20; at += 1) response.write('data: 2\n\n');
      response.emit('error', new Error('write after the end'));
    });
  });
  const port = await listen(server, 0);
  for (let round = 0; round < 5; round += 1) {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(client, 'data');
    client.resetAndDestroy();
  }
  expect(() => server.emit('error', new Error('accept EMFILE'))).not.toThrow();
  const asked = await fetch(`http://127.0.0.1:${port}/`);
  expect(asked.status).toBe(200);
  await asked.body?.cancel();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Files that open what can break: each has listeners for its whole life. A new one needs them too. */
const openers: Readonly<Record<string, readonly string[]>> = {
  // Programs, with listeners for the process and its pipes.
  "import \\{(?! type)[^}]*\\b(?:spawn|fork|exec|execFile)\\b[^}]*\\} from 'node:child_process'": [
    'src/files/programs/start-process.ts',
  ],
  '\\bnew Worker\\(': ['src/toolsets/worker/answer-parent.ts'],
  'createServer\\(\\s*[({]': [
    'src/restate/restate-endpoint.ts',
    'src/server/http/serve.ts',
    'src/server/mcp/serve-http.ts',
    'src/toolsets/browser/policy-proxy.ts',
  ],
  '[dD]river\\.(?:Pool|Client)\\(': ['src/journal/postgres/connections.ts'],
  '[^.]\\bconnect\\(\\{': ['src/toolsets/browser/policy-proxy.ts'],
  '(?:http|module)\\.request\\(': ['src/toolsets/browser/policy-proxy.ts', 'src/toolsets/web/http-exchange.ts'],
  'watcher = watch\\(': ['src/toolsets/knowledge/watched-index.ts'],
  'WebSocket\\(|EventSource\\(|createConnection\\(|createWriteStream\\(': [],
};

it.each(Object.entries(openers))('F170: only the files that are known open connections and programs: %s', (pattern, files) => {
  const found = globSync('src/**/*.ts').filter((file) => new RegExp(pattern).test(readFileSync(file, 'utf8')));
  expect(found.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual(files);
});
