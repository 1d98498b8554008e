import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import type { WhyAnswer } from '../../src/inspect/why/why.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { runCli, starterFolder, temporaryFolder, writeStarter } from './cli-process.ts';

const ask = ['run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?'];

let master = '';

// One run for all tests: each reads a copy, and none may change it.
beforeAll(async () => {
  master = await mkdtemp(path.join(tmpdir(), 'cadre-cli-'));
  await writeStarter(master);
  const { code, err } = await runCli(ask, { cwd: master });
  expect(code, err).toBe(0);
});
afterAll(() => rm(master, { recursive: true, force: true }));

async function recorded(): Promise<{ readonly cwd: string; read(...words: readonly string[]): Promise<string> }> {
  const cwd = await temporaryFolder();
  await cp(master, cwd, { recursive: true });
  const read = async (...words: readonly string[]): Promise<string> => {
    const result = await runCli(words, { cwd });
    expect(result.code, `${words.join(' ')}\n${result.err}`).toBe(0);
    return result.out;
  };
  return { cwd, read };
}

describe('looking into a run', () => {
  it('needs no profiles, no documents and no model, only the journal', async () => {
    const { cwd, read } = await recorded();
    const lines = (await readFile(path.join(cwd, 'agent_profiles/profiles/Lead.yaml'), 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes('You lead a small research team')) + 1;
    await rm(path.join(cwd, 'agent_profiles'), { recursive: true });
    await rm(path.join(cwd, 'docs'), { recursive: true });
    expect(await read('runs')).toMatch(/run_\w+ +idle .* 3 +8 .*How do I water tomatoes\?/);
    expect(await read('turns', 'last', '--agent', 'Researcher_2')).toMatch(
      /Researcher_2\.t1.*search_documents\n.*Researcher_2\.t2.*finish_flow/,
    );
    expect(await read('turn', 'last', 't4')).toMatch(/role {2}static_text, order 10.*agent_profiles\/profiles\/Lead\.yaml:\d+/);
    expect(await read('why', 'last', 'You lead a small research team')).toContain(
      `agent_profiles/profiles/Lead.yaml:${line}, segment 'role'`,
    );
    expect(await read('board', 'last')).toMatch(/^completed \(2\)\n {2}WM_1 The direct answer/);
    expect(await read('tree', 'last')).toMatch(/^Lead_1 .*\n├─ Researcher_2 .*\n└─ Researcher_3 /);
    expect(await read('timeline', 'last')).toMatch(/Researcher_3/);
    expect(await read('show', 'last')).toMatch(/^Run run_\w+ .*\S+@terminal → Lead_1\n {2}│ How do I water/s);
    expect(await read('pending', 'last')).toBe('Nothing waits for you.\n');
    expect(await read('diff', 'last', 'Lead_1.t1', 't4')).toMatch(/^Lead_1\.t1 → Lead_1\.t4/);
  });

  it('is recorded to a file, which the next run is answered from without documents or a model', async () => {
    const { cwd, read } = await recorded();
    await read('record', 'last', '-o', 'recordings/run.jsonl');
    const report = await read('run', '--docs', 'docs', '--quiet', '--replay', 'recordings/run.jsonl', '--record', 'again.jsonl');
    expect(report).toContain('tomatoes');
    const [first, second] = await Promise.all(
      ['recordings/run.jsonl', 'again.jsonl'].map((file) => readFile(path.join(cwd, file), 'utf8')),
    );
    expect(second).toBe(first);
    expect(first).not.toMatch(/run_[a-z0-9]{12}/);
  });

  it('[B.83] gets another title, a project, and is deleted and restored; its journal stays as it is', async () => {
    const { read, cwd } = await recorded();
    const before = await read('events', 'last');
    expect(await read('rename', 'last', 'Wet', 'roots')).toMatch(/^Renamed: run run_\w+ has the title “Wet roots”\.\n$/);
    await read('move', 'last', 'Garden');
    expect(await read('runs', '--project', 'Garden', '--search', 'ROOTS')).toMatch(/PROJECT\n.*Wet roots +Garden\n$/);
    expect(await read('runs', '--search', 'tomatoes')).toBe('No runs.\n');
    await read('projects', '--rename', 'Garden', '--to', 'Yard');
    expect(JSON.parse(await read('projects', '--json'))).toMatchObject([{ name: 'Yard', runs: 1 }]);
    expect(await read('events', 'last')).toBe(before);
    expect(await read('delete', 'last', '--forks')).toContain('restore brings it back');
    expect(await read('runs')).toBe('No runs.\n');
    expect(await read('runs', '--deleted')).toContain('Wet roots');
    const gone = await runCli(['resume', 'last'], { cwd });
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('there is no run in')]);
    await read('restore', 'last');
    expect(await read('runs')).toContain('Wet roots');
  });

  it('F69: the newest 200 runs are listed with how many more there are; --all and --json list all', async () => {
    const { cwd, read } = await recorded();
    const store = path.join(cwd, '.cadre/journal.db');
    const journal = createSqliteJournal(store);
    const [first] = await journal.runs();
    if (first === undefined) throw new Error('there is no run');
    const [start] = await journal.read(first.runId, { limit: 1 });
    if (start?.type !== 'run.start') throw new Error('a run begins with its start');
    for (let index = 1; index <= 204; index += 1) {
      const runId = `run_more${index}` as RunId;
      const lease = await journal.acquire(runId, `${process.pid}@${hostname()}#lists`);
      const events = [{ ...start, runId, at: start.at + index, title: `more ${index}` }];
      await journal.append(lease, { runId, expectedSeq: 0, events, contents: [], sync: false });
      await journal.release(lease);
    }
    await journal.close();
    const listed = await read('runs');
    expect(listed.split('\n')).toHaveLength(1 + 200 + 1 + 1);
    expect(listed).toContain('run_more204');
    expect(listed).not.toMatch(/run_more4 /);
    expect(listed).toMatch(/\n… older runs; list all with: .* runs --all\n$/);
    expect(await read('runs', '--search', 'more 1', '--store', store)).not.toContain('older runs');
    expect(await read('runs', '--search', 'more', '--store', '.cadre/../.cadre/journal.db')).toMatch(
      /… 4 older runs; list all with: .* runs --all --search more\n$/,
    );
    const all = await read('runs', '--all');
    expect(all.split('\n')).toHaveLength(1 + 205 + 1);
    expect(all).not.toContain('older runs');
    expect(JSON.parse(await read('runs', '--json'))).toHaveLength(205);
  });

  it('leaves the journal as it is', async () => {
    const { cwd, read } = await recorded();
    const before = await read('events', 'last');
    await read('turns', 'last');
    await read('why', 'last', 'tomatoes');
    expect(await read('events', 'last')).toBe(before);
    expect((await readdir(cwd)).toSorted()).toEqual(['.cadre', '.gitignore', 'README.md', 'agent_profiles', 'docs']);
  });

  it('I10: the spans of a turn in JSON concatenate to the prompt', async () => {
    const { read } = await recorded();
    for (const turn of ['Lead_1.t4', 'Researcher_3.t2']) {
      const record = JSON.parse(await read('turn', 'last', turn, '--json')) as {
        readonly turnId: string;
        readonly prompt: { readonly text: string; readonly spans: readonly { readonly text: string }[] };
      };
      expect(record.turnId).toBe(turn);
      expect(record.prompt.spans.map((span) => span.text).join('')).toBe(record.prompt.text);
      expect(record.prompt.text.length).toBeGreaterThan(100);
    }
  });

  it('every reading command answers in JSON', async () => {
    const { read } = await recorded();
    const commands = [
      ['runs'],
      ['show', 'last'],
      ['turns', 'last'],
      ['turn', 'last', 'last'],
      ['why', 'last', 'tomatoes'],
      ['diff', 'last', 'Lead_1.t1', 'Lead_1.t2'],
      ['tree', 'last'],
      ['board', 'last'],
      ['timeline', 'last'],
      ['pending', 'last'],
    ];
    for (const words of commands) expect(typeof JSON.parse(await read(...words, '--json')), words.join(' ')).toBe('object');
  });

  it('a text that is searched for without a turn is found in the newest turn that has it, or plainly not', async () => {
    const { cwd, read } = await recorded();
    expect(await read('why', 'last', 'Search for')).toMatch(/In the \w+ of /);
    expect(await read('why', 'last', 'Lead_1.t1', 'water', 'tomatoes?')).toMatch(/of Lead_1\.t1/);
    const missing = await runCli(['why', 'last', 'zebra'], { cwd });
    expect(missing).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Not found: no prompt or reply of the 8 turns of run run_\w+ contains the text/) as string,
    });
  });

  it('a place in a prompt or a reply is asked for by its characters', async () => {
    const { cwd, read } = await recorded();
    const [found] = JSON.parse(await read('why', 'last', 'Lead_1.t1', 'You lead a small', '--json')) as WhyAnswer[];
    const place = found?.range.join('-') ?? '';
    expect(JSON.parse(await read('why', 'last', 'Lead_1.t1', '--at', place, '--json'))).toEqual([found]);
    const wrong = await runCli(['why', 'last', 'Lead_1.t1', '--at', 'here'], { cwd });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--at here is not a place') as string });
  });

  it('events are JSON lines, from a sequence number on', async () => {
    const { read } = await recorded();
    const all = (await read('events', 'last'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly seq: number });
    const some = (await read('events', 'last', '--after', `${all.length - 3}`))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly seq: number });
    expect(some.map((event) => event.seq)).toEqual(all.slice(-3).map((event) => event.seq));
  });

  it('events are told by the names of other systems', async () => {
    const { cwd, read } = await recorded();
    const told = async (...options: readonly string[]): Promise<readonly string[]> =>
      (await read('events', 'last', ...options))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly event: string }).event);
    expect(await told('--as', 'agent_framework')).toEqual(
      expect.arrayContaining(['request_start', 'agent_end', 'action_executed']),
    );
    expect(new Set(await told('--as', 'anges', '--only', 'new_request, task_completion'))).toEqual(
      new Set(['new_request', 'task_completion']),
    );
    const wrong = await runCli(['events', 'last', '--as', 'others'], { cwd });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('agent_framework or anges') as string });
  });

  it('hostile text stays text', async () => {
    const cwd = await starterFolder();
    await writeFile(path.join(cwd, 'docs/evil.md'), '# Evil\n\nTomatoes \u001b[31mred\u001b[0m \u202egnp\n');
    await runCli(['run', '--docs', 'docs', '--quiet', 'Evil \u001b]0;owned\u0007tomatoes?'], { cwd });
    for (const words of [
      ['runs'],
      ['show', 'last', '--full'],
      ['turns', 'last'],
      ['turn', 'last', 'last', '--full'],
      ['tree', 'last'],
      ['board', 'last'],
      ['why', 'last', 'red'],
    ]) {
      const { code, out } = await runCli(words, { cwd });
      expect(code, words.join(' ')).toBe(0);
      expect(out, words.join(' ')).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u);
    }
  });
});

describe('profiles and schemas', () => {
  it('a profile is explained as YAML that reads back as the resolved profile, with the place of each value', async () => {
    const cwd = await starterFolder();
    const { out } = await runCli(['explain', 'Researcher'], { cwd });
    expect(out).toMatch(/^name: Researcher {2}# agent_profiles\/profiles\/Researcher\.yaml:3$/m);
    expect(out).toMatch(/^ {4}condition: state\.current_action {2}# .*Researcher\.yaml:\d+$/m);
    expect(parse(out)).toMatchObject({
      name: 'Researcher',
      type: 'associate',
      flow_decider: [{ id: 'tools' }, { id: 'stuck', condition: 'counters.no_tool_call_streak > 2' }, { id: 'remind' }],
      tool_access_policy: { allowed_toolsets: ['documents', 'flow_control_end'] },
      deliverables_schema: { type: 'object', required: ['findings'] },
    });
    const values = JSON.parse((await runCli(['explain', 'Researcher', '--json'], { cwd })).out) as readonly {
      readonly path: string;
      readonly from: string;
    }[];
    expect(values.find((value) => value.path === 'flow_decider[stuck].condition')?.from).toMatch(/Researcher\.yaml:\d+/);
  });

  it('an unknown profile or kind of schema is refused with what there is', async () => {
    const cwd = await starterFolder();
    expect(await runCli(['explain', 'Nobody'], { cwd })).toMatchObject({ code: 2, err: expect.stringMatching(/Lead.*Researcher/) });
    expect(await runCli(['schema', 'frob'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/profile, llm_config, handover_protocol, toolset, team, script/),
    });
  });

  it('schemas are printed, or written under the names that files refer to', async () => {
    const cwd = await starterFolder();
    expect(JSON.parse((await runCli(['schema', 'script'], { cwd })).out)).toMatchObject({ title: 'Cadre script' });
    const { out } = await runCli(['schema', '--out', 'out'], { cwd });
    expect(out.trim().split('\n')).toEqual(
      ['profile', 'llm_config', 'handover_protocol', 'toolset', 'team', 'script', 'test', 'eval'].map((kind) =>
        path.join('out', `${kind}.schema.json`),
      ),
    );
  });
});
