import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, starterFolder, startForTest, temporaryFolder } from './cli-process.ts';

const ask = ['run', '--docs', 'docs', 'How do I water tomatoes?'];

function shell(command: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', command], { cwd, env: { PATH: path.dirname(process.execPath) } }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command}\n${stderr}`));
    });
  });
}

describe('[A2.4.cli] [A5.cli] [B.96] cadre run', () => {
  it('prints the report on stdout, and the way there on stderr as plain lines', async () => {
    const cwd = await starterFolder();
    const { code, out, err } = await runCli(ask, { cwd });
    expect(code, err).toBe(0);
    expect(out).toMatch(/^# How do I water tomatoes\?\n\n> Water tomatoes deeply/);
    expect(out).toContain('— watering.md:5');
    const [first, ...rest] = err.split('\n');
    expect(first).toMatch(/^Model: scripted\/offline \(LLM config offline\).*replies are scripted.*tools really search/);
    expect(rest.join('\n')).toMatch(
      /Lead_1 started.*WM_1 .*planned.*dispatched to Researcher_2.*calls search_documents.*ended success.*is completed/s,
    );
    expect(err).not.toContain('\x1b');
  });

  it('ends with commands that work as they are printed', async () => {
    const cwd = await starterFolder();
    const { err } = await runCli(ask, { cwd });
    const commands = err.split('inspect it with:\n')[1]?.trim().split('\n') ?? [];
    expect(commands).toHaveLength(3);
    const [turns, turn, why] = await Promise.all(commands.map((command) => shell(command.trim(), cwd)));
    expect(turns).toMatch(/Researcher_3\.t2/);
    expect(turn).toMatch(/^Turn Lead_1\.t4 +completed/);
    expect(why).toMatch(/“Water tomatoes deeply/);
  });

  it('says plainly when nothing was found, for documents it has never seen', async () => {
    const cwd = await starterFolder();
    await rm(path.join(cwd, 'docs'), { recursive: true });
    await writeFile(path.join(cwd, 'notes.txt'), 'Only trains are spoken of here.\n');
    const { code, out } = await runCli(['run', '--docs', '.', '--out', 'reports', 'Zebras?'], { cwd });
    expect({ code, out: out.includes('Nothing was found in the documents.') }).toEqual({ code: 0, out: true });
  });

  it('--json prints every event in order and then the result, and nothing else', async () => {
    const cwd = await starterFolder();
    const { code, out, err } = await runCli([...ask, '--json', '--store', 'memory'], { cwd });
    const lines = out
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { readonly type: string; readonly seq?: number; readonly output?: string; readonly status?: string },
      );
    const result = lines.pop();
    expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index + 1));
    expect([lines[0]?.type, result?.type, result?.status]).toEqual(['run.start', 'result', 'awaiting']);
    expect(result?.output).toContain('Water tomatoes deeply');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('--quiet prints the report alone; the question may come from stdin', async () => {
    const cwd = await starterFolder();
    const { code, out, err } = await runCli(['run', '--docs', 'docs', '--quiet', '-'], { cwd, input: 'What does compost do?\n' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^# What does compost do\?\n/);
  });

  it('a run that reaches its limits fails, and says so', async () => {
    const cwd = await starterFolder();
    const { code, err } = await runCli([...ask, '--limits', 'turns=2'], { cwd });
    expect(code, err).toBe(1);
    expect(err).toMatch(/error: the run .*limit/);
  });

  it('without its reader it ends quietly', async () => {
    const cwd = await starterFolder();
    await runCli(ask, { cwd });
    const running = startForTest(['events', 'last'], { cwd });
    running.child.stdout?.destroy();
    const { code, err } = await running.finished;
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

describe('what is refused before anything runs', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['no question', ['run', ' '], /there is no question/],
    ['a documents folder that does not exist', ['run', '--docs', 'nowhere', 'q'], /documents folder .*nowhere.* does not exist/],
    ['an unknown profile', ['run', '--docs', 'docs', '--profile', 'Laed', 'q'], /no profile 'Laed'; did you mean 'Lead'/],
    ['an unknown LLM config', ['run', '--docs', 'docs', '--llm', 'nope', 'q'], /no LLM config 'nope'; there are: default, offline/],
    ['an unknown limit', ['run', '--docs', 'docs', '--limits', 'steps=3', 'q'], /no limit 'steps'; there are: turns/],
    ['a limit that is no number', ['run', '--limits', 'turns=x', 'q'], /form name=number/],
    ['an unknown option', ['run', '--frob', 'q'], /unknown option '--frob'/],
    ['an unknown command', ['rnu'], /unknown command 'rnu'.*\(Did you mean run\?\)/s],
    ['a journal that does not exist', ['turns', 'last'], /there is no journal at .*journal\.db/],
    ['profiles that do not exist', ['validate', 'nowhere'], /nowhere/],
  ])('%s', async (_, words, message) => {
    const cwd = await starterFolder();
    const { code, out, err } = await runCli(words, { cwd });
    expect(`${err}${out}`).toMatch(message);
    expect(code).toBe(2);
    expect(err).not.toMatch(/^ +at /m);
  });

  it('profiles with problems, each with file, line and column', async () => {
    const cwd = await starterFolder();
    const lead = path.join(cwd, 'agent_profiles/profiles/Lead.yaml');
    const line = (await readFile(lead, 'utf8')).split('\n').length;
    await appendFile(lead, 'text_definitions: { a: "{{ state.nope( }}" }\nfrobnicate: 1\n');
    const run = await runCli(ask, { cwd });
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toMatch(/^error: the profiles have 2 errors:\n.*Lead\.yaml:\d+:\d+: /);
    const checked = await runCli(['validate', '--json'], { cwd });
    expect(checked.code).toBe(2);
    expect(JSON.parse(checked.out)).toMatchObject({
      ok: false,
      errors: 2,
      diagnostics: [
        { severity: 'error', source: { line } },
        { code: 'UNKNOWN_KEY', source: { line: line + 1, column: 1 } },
      ],
    });
  });

  it('the file of a problem is named as it is opened from the working folder', async () => {
    const cwd = await starterFolder();
    await appendFile(path.join(cwd, 'agent_profiles/profiles/Lead.yaml'), 'frobnicate: 1\n');
    const within = await runCli(['validate', path.basename(cwd)], { cwd: path.dirname(cwd) });
    expect(within.out).toMatch(new RegExp(`^error ${path.basename(cwd)}/agent_profiles/profiles/Lead\\.yaml:\\d+:1: unknown key`));
    const outside = await runCli(['validate', '../agent_profiles'], { cwd: path.join(cwd, 'docs') });
    expect(outside.out).toMatch(/^error \/.*\/agent_profiles\/profiles\/Lead\.yaml:\d+:1: unknown key/);
  });

  it('the stack is shown only on demand', async () => {
    const cwd = await temporaryFolder();
    const { err } = await runCli(['runs'], { cwd, env: { CADRE_DEBUG: '1' } });
    expect(err).toMatch(/^error: there is no journal.*\n.*CadreError.*\n +at /);
  });
});

describe('a folder that is a team', () => {
  it('is used when none is named', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'team.yaml'), 'type: team\nname: mine\nincludes: [openmanus]\n');
    await writeFile(path.join(cwd, 'reviewer.yaml'), 'name: reviewer\nbase_profile: react_base\n');
    const { code, out, err } = await runCli(['validate'], { cwd });
    expect(code, out + err).toBe(0);
    expect(out).toMatch(/ok: 1\d profiles.* \(this folder\)/);
  });
});

describe('cadre init', () => {
  it('writes a team that is valid, and schemas that its files refer to', async () => {
    const cwd = await temporaryFolder();
    expect((await runCli(['init'], { cwd })).code).toBe(0);
    const { code, out } = await runCli(['validate'], { cwd });
    expect({ code, out }).toEqual({
      code: 0,
      out: 'ok: 2 profiles, 3 LLM configs, 0 handover protocols; 0 errors, 0 warnings (agent_profiles)\n',
    });
    const profile = path.join(cwd, 'agent_profiles/profiles/Lead.yaml');
    const schema = /\$schema=(\S+)/.exec(await readFile(profile, 'utf8'))?.[1] ?? '';
    expect(JSON.parse(await readFile(path.resolve(path.dirname(profile), schema), 'utf8'))).toMatchObject({
      title: 'Cadre profile',
    });
  });

  it('prints commands that work from where they lead', async () => {
    const cwd = await temporaryFolder();
    const { out } = await runCli(['init', 'my team'], { cwd });
    const commands = out.split('Next:\n')[1]?.trim().split('\n') ?? [];
    expect(await shell(commands.join(' && '), cwd)).toMatch(/Water tomatoes deeply.*Lead_1\.t1.*deep watering.*ok: 2 profiles/s);
  });

  it('F26: CADRE_MODEL names its model, over a key for another, and its own documents are searched', async () => {
    const cwd = await temporaryFolder();
    await runCli(['init'], { cwd });
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"asked on loopback"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { CADRE_MODEL: 'openai-compatible/tiny', CADRE_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'sk-none' };
    const asked = await runCli(['run', 'How do I water tomatoes?'], { cwd, env });
    server.close();
    expect(asked.code).not.toBe(0);
    expect(`${asked.out}${asked.err}`).toMatch(/openai-compatible\/tiny[^]*asked on loopback/);
    const offline = await runCli(['run', 'How do I water tomatoes?'], { cwd });
    expect(offline.out).toContain('watering.md');
  });

  it('leaves a folder that is not empty alone, unless it is told otherwise', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'README.md'), 'mine');
    const refused = await runCli(['init'], { cwd });
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/is not empty \(it holds README\.md\)/)]);
    expect(await readFile(path.join(cwd, 'README.md'), 'utf8')).toBe('mine');
    expect((await runCli(['init', '--force'], { cwd })).code).toBe(0);
    expect(await readFile(path.join(cwd, 'README.md'), 'utf8')).toMatch(/^# A starter team/);
  });
});
