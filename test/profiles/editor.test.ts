import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { refreshSchemas } from '../../src/cli/dev/refresh-schemas.ts';
import { runCli, temporaryFolder } from '../cli/cli-process.ts';

const server = createRequire(import.meta.url).resolve('yaml-language-server/bin/yaml-language-server');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

interface Problem {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

/** An editor that talks to yaml-language-server over its protocol. */
class Editor {
  readonly #child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  readonly #waiting = new Map<number, (result: unknown) => void>();
  readonly #problems = new Map<string, readonly Problem[]>();
  #bytes = Buffer.alloc(0);
  #nextId = 1;

  constructor() {
    this.#child.stdout.on('data', (data: Buffer) => this.#read(data));
  }

  async begin(root: string): Promise<void> {
    await this.#request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: { workspace: { configuration: true } },
    });
    this.#notify('initialized', {});
    this.#notify('workspace/didChangeConfiguration', { settings: {} });
  }

  open(file: string, text: string): void {
    this.#notify('textDocument/didOpen', { textDocument: { uri: pathToFileURL(file).href, languageId: 'yaml', version: 1, text } });
  }

  /** Returns the labels that complete the place of `§` in a text. */
  async complete(file: string, marked: string): Promise<readonly string[]> {
    const at = marked.indexOf('§');
    const before = marked.slice(0, at).split('\n');
    const text = marked.slice(0, at) + marked.slice(at + 1);
    const uri = pathToFileURL(file).href;
    this.#notify('textDocument/didChange', { textDocument: { uri, version: this.#nextId }, contentChanges: [{ text }] });
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const found = await this.#request('textDocument/completion', { textDocument: { uri }, position });
    const { items } = found as { readonly items: readonly { readonly label: string }[] };
    return items.map(({ label }) => label);
  }

  problems(file: string): readonly Problem[] {
    return this.#problems.get(pathToFileURL(file).href) ?? [];
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  #request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: Message): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(data: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    for (;;) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.#bytes.subarray(0, Math.max(0, end)).toString())?.[1]);
      if (end < 0 || this.#bytes.length < end + 4 + length) return;
      this.#receive(JSON.parse(this.#bytes.subarray(end + 4, end + 4 + length).toString()) as Message);
      this.#bytes = this.#bytes.subarray(end + 4 + length);
    }
  }

  #receive({ id, method, params, result }: Message): void {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { readonly uri: string; readonly diagnostics: readonly Problem[] };
      this.#problems.set(uri, diagnostics);
    } else if (method !== undefined && id !== undefined) this.#answer(id, method, params);
    else if (id !== undefined) this.#waiting.get(id)?.(result);
  }

  /** The server asks for settings: those that editors have, without schemas from the network. */
  #answer(id: number, method: string, params: unknown): void {
    const { items = [] } = (params ?? {}) as { readonly items?: readonly { readonly section: string }[] };
    const yaml = { completion: true, validate: true, schemaStore: { enable: false } };
    const settings = items.map(({ section }) => (section === 'yaml' ? yaml : null));
    this.#send({ id, result: method === 'workspace/configuration' ? settings : null });
  }
}

it('yaml-language-server completes the names of a new project and marks what does not exist, and follows new names', async () => {
  const folder = await temporaryFolder();
  expect((await runCli(['init'], { cwd: folder })).code).toBe(0);
  const file = path.join(folder, 'agent_profiles/profiles/Lead.yaml');
  const lead = readFileSync(file, 'utf8');
  const editor = new Editor();
  onTestFinished(() => editor.end());
  await editor.begin(folder);
  editor.open(file, lead);
  const withLine = (line: string): string => `${lead.replace(/^llm_config_ref:.*$/m, '')}\n${line}`;
  // Until the server has read its settings, it completes nothing.
  await expect
    .poll(() => editor.complete(file, withLine('llm_config_ref: §')), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['default', 'openai', 'offline']));
  expect(await editor.complete(file, withLine('callable_profiles: [§]'))).toEqual(expect.arrayContaining(['Lead', 'Researcher']));
  expect(await editor.complete(file, withLine('output_rep§'))).toContain('output_repairs');
  await editor.complete(file, withLine('frob: 1§'));
  await expect
    .poll(() => editor.problems(file).map(({ message }) => message), { timeout: 20_000 })
    .toContainEqual(expect.stringContaining('frob'));

  // A flag that an observer writes is offered elsewhere once the schemas are fresh, as `cadre dev` keeps them.
  const observer =
    'post_turn_observers:\n  - { id: count, action: { type: update_state, updates: [{ operation: increment, path: flags.asked }] } }\n';
  expect(lead).not.toContain('post_turn_observers');
  await appendFile(file, observer);
  await writeFile(
    path.join(folder, 'agent_profiles/llm_configs/tiny.yaml'),
    'name: tiny\ntype: llm_config\nconfig: { model: tiny }\n',
  );
  expect((await refreshSchemas(path.join(folder, 'agent_profiles'))).map((each) => path.basename(each))).toContain(
    'profile.schema.json',
  );
  const schema = await readFile(path.join(folder, 'schemas/test.schema.json'), 'utf8');
  expect(schema).toContain('written by count of Lead');
  const test = path.join(folder, 'agent_profiles/profiles/Lead.test.yaml');
  const head =
    '# yaml-language-server: $schema=../../schemas/test.schema.json\ncases:\n  - name: a\n    given:\n      flags:\n        ';
  editor.open(test, `${head}\n`);
  expect(await editor.complete(test, `${head}§\n`)).toContain('asked');
  expect(await refreshSchemas(path.join(folder, 'agent_profiles'))).toEqual([]);
}, 60_000);

it('cadre schema --project writes where the files of the project look, and says where there is none', async () => {
  const folder = await temporaryFolder();
  expect((await runCli(['schema', '--project'], { cwd: folder })).err).toContain('there is no project here');
  expect((await runCli(['init', '--template', 'empty'], { cwd: folder })).code).toBe(0);
  await writeFile(path.join(folder, 'schemas/profile.schema.json'), '{}');
  const { code, out } = await runCli(['schema', '--project'], { cwd: folder });
  expect([code, out]).toEqual([0, expect.stringContaining('schemas/profile.schema.json')]);
  expect(await readFile(path.join(folder, 'schemas/profile.schema.json'), 'utf8')).toContain('llm_config_ref');
});
