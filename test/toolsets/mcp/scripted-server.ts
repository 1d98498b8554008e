/**
 * A server on standard input and output that misbehaves as its script says: `node scripted-server.ts <file with the script>`.
 * Implements just enough of the 2025 protocol to be called.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';

/** Behaviour of the server; everything is optional. */
export interface Script {
  /** Printed before anything else. */
  readonly print?: string;
  readonly stderr?: string;
  /** Ends with this code immediately. */
  readonly exit?: number;
  /** Closes its output immediately and keeps running. */
  readonly closeOutput?: boolean;
  /** Never answers anything. */
  readonly mute?: boolean;
  /** Ends when it is asked anything before `initialize`. */
  readonly strict?: boolean;
  /** File that gets a line for each call of a tool, and for each start. */
  readonly ledger?: string;
  readonly tools?: readonly unknown[];
  /** Tools it has after it was started again, or after `change` was called. */
  readonly laterTools?: readonly unknown[];
  /** Starts a long-running program in a separate session, and writes its process id to this file. */
  readonly detached?: string;
  /** Never says which tools it has. */
  readonly unlisted?: boolean;
  /** Another description of each tool at each listing, and the word that they have changed with it. */
  readonly restless?: boolean;
  /** Ignores the end of its input, and SIGTERM. */
  readonly stubborn?: boolean;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: { readonly progressToken?: unknown }; readonly requestId?: unknown };
}

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Script;
let tools = isRestart() ? (script.laterTools ?? script.tools ?? []) : (script.tools ?? []);

function isRestart(): boolean {
  return script.ledger !== undefined && existsSync(script.ledger) && readFileSync(script.ledger, 'utf8').includes('start');
}

function note(what: string): void {
  if (script.ledger !== undefined) appendFileSync(script.ledger, `${what}\n`);
}

function write(text: string | Buffer): void {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(9);
    }
  }
}

function send(message: object): void {
  write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function answer(id: number | string, text: string): void {
  send({ id, result: { content: [{ type: 'text', text }] } });
}

/** Behaviour of each tool, by name. */
const behaviours: Readonly<Record<string, (id: number | string, message: Message) => void>> = {
  ok: (id) => answer(id, 'fine'),
  /** Killed from outside in the middle of a call. */
  die: () => process.kill(process.pid, 'SIGKILL'),
  die_once: (id) => {
    const died = readFileSync(script.ledger ?? '', 'utf8').split('die_once').length > 2;
    if (died) answer(id, 'fine this time');
    else process.kill(process.pid, 'SIGKILL');
  },
  half: () => {
    write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"ty');
    process.exit(0);
  },
  flood: () => write(`{"jsonrpc":"2.0","x":"${'y'.repeat(5 * 1024 * 1024)}"}\n`),
  noise: (id) => {
    write('DEBUG called\n{ not json\n[1,2]\n"text"\n{"id":4}\n');
    write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
    send({ id: 999_999, result: {} });
    send({ id: 'never asked', error: { code: 1, message: 'x' } });
    send({ id: 'q1', method: 'sampling/createMessage', params: {} });
    send({ method: 'notifications/unheard', params: {} });
    send({ method: 'notifications/progress', params: { progressToken: 4242, progress: 1 } });
    answer(id, 'first');
    answer(id, 'second');
  },
  hang: () => undefined,
  /** An answer whose id is nested deeper than a stack is high. */
  deep_id: (id) => {
    write(`{"jsonrpc":"2.0","id":${'['.repeat(200_000)}${']'.repeat(200_000)},"result":{}}\n`);
    answer(id, 'fine');
  },
  /** Asks and asks, and never reads the answers. */
  ask: () => {
    process.stdin.pause();
    for (let asked = 0; asked < 20_000; asked += 1) send({ id: `ask ${asked}`, method: 'sampling/createMessage', params: {} });
  },
  error: (id) => send({ id, error: { code: -32_603, message: 'the disk is full' } }),
  odd: (id) =>
    send({
      id,
      result: {
        content: [
          { type: 'hologram', x: 1 },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        ],
        structuredContent: { n: 1 },
      },
    }),
  change: (id) => {
    tools = script.laterTools ?? [];
    send({ method: 'notifications/tools/list_changed' });
    answer(id, 'changed');
  },
  progress: (id, message) => {
    const progressToken = message.params?._meta?.progressToken;
    for (let progress = 1; progress <= 3; progress += 1)
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 4, message: `step ${progress}` } });
    answer(id, 'done');
  },
};

let listings = 0;

/** All but `ok` are described in other words each time. */
function described(): readonly unknown[] {
  listings += 1;
  return (tools as readonly { readonly name: string }[]).map((tool) =>
    tool.name === 'ok' ? tool : { ...tool, description: `Listing ${listings}.` },
  );
}

function handle(message: Message): void {
  const { id, method } = message;
  if (script.strict === true && method !== undefined && method !== 'initialize' && !initialized) process.exit(7);
  if (method === 'notifications/cancelled') note('cancelled');
  if (id === undefined || method === undefined || script.mute === true) return;
  switch (method) {
    case 'initialize':
      initialized = true;
      // A request that comes before the handshake is over, as some servers send.
      send({ id: 'early', method: 'roots/list' });
      send({
        id,
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'scripted', version: '1' },
        },
      });
      return;
    case 'tools/list':
      if (script.unlisted === true) return note('list');
      send({ id, result: { tools: script.restless === true ? described() : tools } });
      if (script.restless === true) send({ method: 'notifications/tools/list_changed' });
      return;
    case 'tools/call': {
      const name = message.params?.name ?? '';
      note(name);
      (behaviours[name] ?? ((to) => answer(to, `called ${name}`)))(id, message);
      return;
    }
    case 'ping':
      if (!existsSync(`${script.ledger ?? ''}.deaf`)) send({ id, result: {} });
      return;
    default:
      send({ id, error: { code: -32_601, message: 'unknown method' } });
  }
}

let initialized = false;
note('start');
if (script.stubborn === true) process.on('SIGTERM', () => undefined);
if (script.detached !== undefined) {
  const daemon = spawn('sleep', ['7777'], { detached: true, stdio: 'ignore' });
  writeFileSync(script.detached, String(daemon.pid));
  daemon.unref();
}
if (script.stderr !== undefined) process.stderr.write(script.stderr);
if (script.print !== undefined) write(script.print);
if (script.exit !== undefined) process.exit(script.exit);
if (script.closeOutput === true) closeSync(1);
setInterval(() => undefined, 60_000);
let rest = '';
process.stdin.on('data', (chunk: Buffer) => {
  const lines = (rest + chunk.toString('utf8')).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) handle(JSON.parse(line) as Message);
});
process.stdin.on('end', () => {
  if (script.stubborn !== true) process.exit(0);
});
