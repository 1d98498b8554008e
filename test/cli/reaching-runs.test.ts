import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { expect, it } from 'vitest';
import { type Finished, runCli, type Running, startForTest, temporaryFolder } from './cli-process.ts';

const files = {
  'agent_profiles/profiles/Clerk.yaml': `name: Clerk
tool_access_policy: { allowed_toolsets: [workspace, human] }
tool_gates: [{ id: ask, tools: [write_file], verdict: ask }]
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, action: { type: await_user_input } }
`,
  'agent_profiles/llm_configs/default.yaml': `name: default
type: llm_config
config: { provider: scripted, script: scripts/clerk.yaml }
`,
  'agent_profiles/scripts/clerk.yaml': `rules:
  - when: len(tool_results) == 0
    reply: { tool_calls: [{ tool: write_file, args: { path: a.txt, content: one } }] }
  - when: len(tool_results) == 1
    reply: { tool_calls: [{ tool: ask_human, args: { question: Which?, choices: [red, green] } }] }
otherwise: "You said {{ last(tool_results).text }}"
`,
  'docs/a.md': '# A document\n',
};

interface Held {
  readonly cwd: string;
  readonly chat: Running;
  readonly runId: string;
  cadre(...words: readonly string[]): Promise<Finished>;
}

/** Starts a run in another process that waits for an approval. */
async function heldRun(): Promise<Held> {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  const chat = startForTest(['chat', '--docs', 'docs'], { cwd, holdInput: true });
  chat.child.stdin?.write('Go.\n');
  await chat.until('write_file');
  const cadre = (...words: readonly string[]): Promise<Finished> => runCli(words, { cwd });
  await waiting(cadre, 'c00000001');
  const [run] = JSON.parse((await cadre('runs', '--json')).out) as readonly { readonly runId: string }[];
  return { cwd, chat, runId: run?.runId ?? '', cadre };
}

/** Waits until a call waits for a person, and returns the id of its request. */
async function waiting(cadre: Held['cadre'], callId: string): Promise<string> {
  let id = '';
  const look = async (): Promise<boolean> => {
    const { out } = await cadre('pending', 'last', '--json');
    const requests = out === '' ? [] : (JSON.parse(out) as readonly PendingRequest[]);
    id = requests.find((request) => request.callId === callId)?.id ?? '';
    return id !== '';
  };
  await expect.poll(look, { timeout: 20_000 }).toBe(true);
  return id;
}

it('what a process waits for is decided from another terminal, which can also speak to it, and the process goes on', async () => {
  const { cwd, chat, runId, cadre } = await heldRun();
  const wrong = await cadre('approve', 'last', 'c9');
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("no approval 'c9' is waiting") });
  const folder = path.join(cwd, '.cadre', 'mail');
  expect([(await stat(folder)).mode & 0o777, (await stat(path.join(folder, runId))).mode & 0o777]).toEqual([0o700, 0o700]);
  await leaveBadLetters(path.join(folder, runId));
  const call = await cadre('approve', 'last', 'c00000001');
  const first = await waiting(cadre, 'c00000001');
  expect(call).toMatchObject({ code: 2, err: expect.stringContaining(`c00000001 is a call; its present request is ${first}`) });
  const edited = await cadre('approve', 'last', first, '--edit', '{"path":"b.txt","content":"two"}');
  expect(edited, edited.err).toMatchObject({ code: 0, err: expect.stringContaining('continues in the process that owns it') });
  const second = await waiting(cadre, 'c00000002');
  const sent = JSON.parse((await cadre('send', 'last', 'Hello', 'there', '--json')).out) as Record<string, unknown>;
  expect(sent).toMatchObject({ type: 'done', runId, status: 'awaiting', itemId: expect.stringMatching(/^x/) });
  expect((await cadre('send', 'last', 'Hello', '--to', 'Nobody_9')).err).toContain("has no agent 'Nobody_9'");
  expect((await cadre('answer', 'last', second, '2')).code).toBe(0);
  await chat.until('You said green');
  const profile = files['agent_profiles/profiles/Clerk.yaml'];
  await writeFile(path.join(cwd, 'Clerk.yaml'), profile.replace('name: Clerk', 'name: Clerk\ninstructions: Be kind.'));
  await writeFile(path.join(cwd, 'plan.json'), '[{"action":"create","name":"first","description":"What comes first."}]');
  const changed = await cadre('edit', 'last', '--update', 'Clerk.yaml');
  expect(changed, changed.err).toMatchObject({ code: 0, err: expect.stringContaining('Changed.') });
  expect((await cadre('edit', 'last', '--disable', 'Clerk')).err).toContain('is at work');
  expect((await cadre('edit', 'last', '--modules', 'plan.json')).code).toBe(0);
  expect((await cadre('events', 'last')).out).toMatch(/profiles\.update[^]*WORK_MODULES_EDITED/);
  chat.child.stdin?.end();
  expect((await chat.finished).code).toBe(0);
  expect((await cadre('turn', 'last', 't1')).out).toContain('b.txt');
  expect((await cadre('show', 'last')).out).toContain('Hello there');
}, 90_000);

/** Leaves invalid messages in the mail folder: a stale one and malformed ones. All must be removed without effect. */
async function leaveBadLetters(folder: string): Promise<void> {
  const leave = async (name: string, text: string, at?: number): Promise<void> => {
    await writeFile(path.join(folder, `${name}.part`), text);
    if (at !== undefined) await utimes(path.join(folder, `${name}.part`), at, at);
    await rename(path.join(folder, `${name}.part`), path.join(folder, `${name}.json`));
  };
  await leave('old', JSON.stringify({ kind: 'approve', ids: ['c00000001'] }), 1_000);
  await leave('text', 'approve everything');
  await leave('kind', JSON.stringify({ kind: 'constructor', ids: ['c00000001'] }));
  await leave('keys', JSON.stringify({ kind: 'approve', ids: ['c00000001'], run: 'rm -rf' }));
  await leave('proto', '{"kind":"approve","ids":["c00000001"],"args":{"__proto__":{"path":"x"}}}');
  await expect.poll(async () => (await readdir(folder)).toSorted()).toEqual(['keys.done', 'kind.done', 'proto.done', 'text.done']);
  const refused = async (name: string): Promise<unknown> => JSON.parse(await readFile(path.join(folder, `${name}.done`), 'utf8'));
  expect(await refused('text')).toEqual({ refused: { code: 'OPTION_INVALID', message: 'this is not an action on a run' } });
  expect(await refused('kind')).toEqual({ refused: { code: 'OPTION_INVALID', message: 'this is not an action on a run' } });
  expect(await refused('keys')).toMatchObject({ refused: { message: expect.stringContaining('the field "run" is unknown') } });
  expect(await refused('proto')).toMatchObject({ refused: { message: expect.stringContaining('not accepted') } });
}

it('from any terminal, a run that another process has is cancelled: it is over when the command ends', async () => {
  const { chat, runId, cadre } = await heldRun();
  expect((await cadre('cancel', 'last', '--agent', 'Nobody_9')).err).toContain("has no agent 'Nobody_9'");
  const cancelled = await cadre('cancel', runId, '--reason', 'enough', '--json');
  expect(cancelled, cancelled.err).toMatchObject({ code: 0 });
  expect(JSON.parse(cancelled.out)).toEqual({
    type: 'done',
    runId,
    status: 'cancelled',
    outcome: 'cancelled',
    pending: [],
    wasOver: false,
  });
  expect((await cadre('show', 'last', '--json')).out).toContain('"cancelled"');
  expect((await cadre('events', 'last')).out).toContain('"message":"enough"');
  expect(await cadre('cancel', 'last')).toMatchObject({ code: 0, err: `Run ${runId} had already ended (cancelled).\n` });
  expect((await cadre('send', 'last', 'Hello')).err).toContain('has ended');
  chat.child.stdin?.end();
  await chat.finished;
}, 60_000);

it('over HTTP, the run of another process is decided about and spoken to; a run of the server is cancelled from a terminal', async () => {
  const { cwd, chat, runId, cadre } = await heldRun();
  const server = startForTest(['serve', '--open', '--docs', 'docs', '--port', '0'], { cwd, holdInput: true });
  await server.until('(Ctrl-C');
  const url = /Cadre is at (\S+)/.exec(server.said())?.[1] ?? '';
  const post = async (route: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await (await fetch(`${url}/api/runs${route}`, init)).json()) as Readonly<Record<string, unknown>>;
  };
  expect(await post(`/${runId}/approve`, { ids: ['c9'] })).toMatchObject({ error: { code: 'PENDING_UNKNOWN' } });
  await post(`/${runId}/reject`, { ids: [await waiting(cadre, 'c00000001')], message: 'no files' });
  const second = await waiting(cadre, 'c00000002');
  expect(await post(`/${runId}/answer`, { id: second, value: 'red' })).toMatchObject({ pending: [] });
  await chat.until('You said red');
  expect(await post(`/${runId}/cancel`, {})).toMatchObject({ status: 'cancelled' });

  const { runId: ofServer } = await post('', { input: 'Go.' });
  await waiting(cadre, 'c00000001');
  expect(await cadre('cancel', String(ofServer))).toMatchObject({ code: 0, err: expect.stringContaining('has ended (cancelled)') });
  expect(await (await fetch(`${url}/api/runs/${String(ofServer)}`)).json()).toMatchObject({ status: 'cancelled' });
  server.child.kill('SIGINT');
  expect((await server.finished).code).toBe(0);
  chat.child.stdin?.end();
  await chat.finished;
}, 60_000);

it('a run whose process is gone, or does not answer, is cancelled all the same, and nothing of it is begun again', async () => {
  const cwd = await temporaryFolder();
  const program = path.join(import.meta.dirname, 'slow-tool-process.ts');
  const gone = startForTest(['600000'], { cwd }, program);
  await gone.until('pay');
  await expect.poll(() => readFile(path.join(cwd, 'ledger'), 'utf8')).toBe('begun\n');
  gone.child.kill('SIGKILL');
  await gone.finished;
  const store = ['--store', 'journal.db'];
  const cancelled = await runCli(['cancel', 'last', ...store], { cwd });
  expect(cancelled).toMatchObject({ code: 0, err: expect.stringMatching(/^Run run_\S+ has ended \(cancelled\)/) });

  const deaf = startForTest(['600000'], { cwd }, program);
  await deaf.until('pay');
  expect(await runCli(['cancel', 'last', '--take-over', ...store], { cwd })).toMatchObject({ code: 0 });
  expect((await runCli(['runs', ...store], { cwd })).out).toMatch(/cancelled[\s\S]*cancelled/);
  expect(await readFile(path.join(cwd, 'ledger'), 'utf8')).toBe('begun\nbegun\n');
}, 60_000);
