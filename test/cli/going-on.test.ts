import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { runCli, starterFolder, startForTest, temporaryFolder } from './cli-process.ts';

const gate = `
tool_gates:
  - { id: ask_search, tools: [search_documents], verdict: ask, message: May it search? }
`;

async function gatedFolder(): Promise<string> {
  const cwd = await starterFolder();
  await appendFile(path.join(cwd, 'agent_profiles/profiles/Researcher.yaml'), gate);
  return cwd;
}

interface Waiting {
  readonly id: string;
  readonly kind: string;
  readonly tool: string;
}

async function pendingOf(cwd: string): Promise<readonly Waiting[]> {
  return JSON.parse((await runCli(['pending', 'last', '--json'], { cwd })).out) as readonly Waiting[];
}

describe('calls that wait for a person, where nobody can be asked', () => {
  it('end the command with 1 and the commands that decide; once all are decided the run goes on to its report', async () => {
    const cwd = await gatedFolder();
    const first = await runCli(['run', '--docs', 'docs', 'How do I water tomatoes?'], { cwd });
    expect([first.code, first.out]).toEqual([1, '']);
    expect(first.err).toMatch(
      /The run waits for you.*Lead_1 → Researcher_2 wants to call search_documents.*query.*: How do I water tomatoes\?.*sha256 [0-9a-f]{64}.*approve run_\w+ ask_\w+/s,
    );
    expect((await runCli(['resume', '--all'], { cwd })).err).toMatch(
      /^No run was interrupted\.\nRun run_\w+ waits for a decision \(.*\): node .* pending run_\w+\n$/,
    );
    const [one, two] = await pendingOf(cwd);
    expect([one, two]).toMatchObject([{ kind: 'approval', tool: 'search_documents' }, { kind: 'approval' }]);
    expect((await runCli(['approve', 'last', one?.id ?? ''], { cwd })).code).toBe(1);
    const second = await runCli(['reject', 'last', two?.id ?? '', '--message', 'not this one'], { cwd });
    expect(second.code, second.err).toBe(0);
    expect(second.out).toMatch(/^# How do I water tomatoes\?\n\n1 of 2 researchers failed[^\n]*\n\n> Water tomatoes deeply/);
    expect((await runCli(['why', 'last', 'Researcher_3.t2', 'not this one'], { cwd })).out).toMatch(/search_documents/);
  });

  it('approved after they expired: the words say so, and the run goes on as its gate says', async () => {
    const cwd = await starterFolder();
    const file = path.join(cwd, 'agent_profiles/profiles/Researcher.yaml');
    await appendFile(file, gate.replace('verdict: ask', 'verdict: ask, expires_after: 500ms'));
    await runCli(['run', '--docs', 'docs', 'How do I water tomatoes?'], { cwd });
    const [one] = await pendingOf(cwd);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const late = await runCli(['approve', 'last', one?.id ?? ''], { cwd });
    expect([late.code, late.err]).toEqual([
      1,
      expect.stringMatching(/error: request ask_\w+ of run \w+ has expired: no approval or rejection.*it was denied at/),
    ]);
    // Every search was denied, so there is no report.
    expect(late.out).not.toContain('# How do I water tomatoes');
  });

  it('an id that nothing waits under is refused with what does wait; new arguments are checked and run', async () => {
    const cwd = await gatedFolder();
    await runCli(['run', '--docs', 'docs', 'q'], { cwd });
    const { code, err } = await runCli(['approve', 'last', 'c99'], { cwd });
    expect([code, err]).toEqual([2, expect.stringMatching(/no approval 'c99' is waiting.*ask_\w+ \(approval\)/)]);
    const [one] = await pendingOf(cwd);
    expect((await runCli(['approve', 'last', one?.id ?? '', '--edit', '{"query": 1}'], { cwd })).err).toContain('still waits');
    await runCli(['approve', 'last', one?.id ?? '', '--edit', '{"query": "water"}'], { cwd });
    expect((await runCli(['turn', 'last', 'Researcher_2.t1'], { cwd })).out).toMatch(
      /approved by \S+@terminal with other arguments.*ran with/s,
    );
  });
});

describe('a run that is interrupted', () => {
  it('I4: stops with 130, keeps everything, says how to go on, and goes on', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['run', '--docs', 'docs', 'Hello?'], { cwd });
    await running.until('Solo_1 started');
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    running.child.kill('SIGINT');
    const { code, err } = await running.finished;
    expect(code, err).toBe(130);
    expect(err).toMatch(/Interrupted; everything up to here is kept\. Continue with: node .* resume run_\w+\n$/);
    const before = (await runCli(['events', 'last'], { cwd })).out;
    model.answer('Hello to you, too.');
    const resumed = await runCli(['resume', 'last'], { cwd });
    expect({ code: resumed.code, out: resumed.out }).toEqual({ code: 0, out: 'Hello to you, too.\n' });
    expect((await runCli(['events', 'last'], { cwd })).out.startsWith(before)).toBe(true);
  });

  it('is taken up by resume --all, which names those that wait for somebody', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['run', '--docs', 'docs', 'Hello?'], { cwd });
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await runCli(['runs'], { cwd })).out).toMatch(/^run_\w+ +running /m);
    running.child.kill('SIGKILL');
    await running.finished;
    expect((await runCli(['runs'], { cwd })).out).toMatch(/^run_\w+ +interrupted /m);
    model.answer('Hello to you, too.');
    const resumed = await runCli(['resume', '--all', '--docs', 'docs'], { cwd });
    expect(resumed, resumed.err).toMatchObject({ code: 0, out: 'Hello to you, too.\n' });
    expect(resumed.err).toMatch(/Run run_\w+ \(1 of 1\): Hello\?.*run resumed after .*1 run resumed\.\n$/s);
    expect(await runCli(['resume', '--all'], { cwd })).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^No run was interrupted.*\n1 run waits for a message: node .* runs\n$/),
    });
    expect((await runCli(['resume'], { cwd })).err).toMatch(/error: name a run, or resume all.*resume --all/);
    expect((await runCli(['resume', '--all', 'last'], { cwd })).code).toBe(2);
  });

  it('can be followed from another terminal, to its end or to where its process ended', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['run', '--docs', 'docs', 'Hello?'], { cwd });
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const tail = startForTest(['tail', 'last'], { cwd });
    await tail.until('started: Hello?');
    running.child.kill('SIGKILL');
    expect(await tail.finished).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Run run_\w+ was interrupted: no process advances it; resume it with: node .* resume run_/),
    });
    model.answer('Hello to you, too.');
    expect((await runCli(['resume', 'last', '--docs', 'docs'], { cwd })).code).toBe(0);
    const { code, out, err } = await runCli(['tail', 'last', '--json'], { cwd });
    expect({ code, out }).toEqual({ code: 0, out: (await runCli(['events', 'last'], { cwd })).out });
    expect(err).toMatch(/Run run_\w+ waits for a message, and no process owns it/);
    expect((await runCli(['tail', 'last', '--lines', '1'], { cwd })).out).toMatch(/^\[.*waits for a message\n$/);
  });

  it('goes on with the profiles of today when told so, and says what differs', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['run', '--docs', 'docs', 'Hello?'], { cwd });
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    running.child.kill('SIGKILL');
    await running.finished;
    const profile = path.join(cwd, 'agent_profiles', 'profiles', 'Solo.yaml');
    await appendFile(profile, '\nlimits: { max_turns: 9 }\n');
    model.answer('Hello.');
    const { code, err } = await runCli(['resume', 'last', '--current-profiles', '--docs', 'docs'], { cwd });
    expect(code, err).toBe(0);
    expect(err).toMatch(/run resumed after .*, with other profiles.*PROFILES_CHANGED: .*profile `Solo` changed \(limits\)/s);
  });

  it('I8: cannot be taken up by a second process while it runs, and can be read', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['run', '--docs', 'docs', 'Hello?'], { cwd });
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await runCli(['turns', 'last'], { cwd })).out).toMatch(/Solo_1\.t1 +running/);
    const second = await runCli(['resume', 'last'], { cwd });
    expect([second.code, second.err]).toEqual([1, expect.stringMatching(/error: .*run_\w+/)]);
    expect(second.err).toMatch(/is being advanced by \d+@\S+ since 2\d{3}-.*--take-over/s);
    running.child.kill('SIGSTOP');
    model.answer('Mine now.');
    expect(await runCli(['resume', 'last', '--take-over'], { cwd })).toMatchObject({ code: 0, out: 'Mine now.\n' });
    running.child.kill('SIGCONT');
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(130);
  });

  it('a model that cannot be reached fails the run with 1, in words', async () => {
    const cwd = await temporaryFolder();
    await writeSoloTeam(cwd, 'http://127.0.0.1:9/v1');
    const { code, err } = await runCli(['run', '--docs', 'docs', 'Hello?'], { cwd });
    expect(code, err).toBe(1);
    expect(err).toMatch(/error: the run failed \(error\): /);
    expect(err).not.toMatch(/^ +at /m);
  });
});

describe('a conversation', () => {
  it('[A5.new-request] [A2.4.cli] [A5.cli] [B.96] answers piped lines one after the other, and is kept for later', async () => {
    const cwd = await starterFolder();
    const first = await runCli(['chat', '--docs', 'docs', '--quiet'], {
      cwd,
      input: '/agents\nHow do I water tomatoes?\n/board\nAnd what about mulch?\n',
    });
    expect(first.code, first.err).toBe(0);
    expect(first.out).toMatch(/> Water tomatoes deeply.*# And what about mulch\?\n\n> A layer of straw/s);
    expect(first.err).toMatch(/There is no run yet.*completed \(2\)/s);
    const second = await runCli(['chat', 'last'], { cwd, input: 'What does compost do?\n/why compost\n/quit\nnever sent\n' });
    expect(second.code, second.err).toBe(0);
    expect(second.out).toMatch(/# What does compost do\?.*Most vegetables like loose soil/s);
    expect(second.err).toMatch(/In the .* of Lead_1\.t12.*continue with: node .* chat run_/s);
    expect((await runCli(['show', 'last', '--full'], { cwd })).out).not.toContain('never sent');
  });

  it('streams what the root agent says, and takes a line as the verdict over what waits', async () => {
    const cwd = await gatedFolder();
    const { code, out, err } = await runCli(['chat', '--docs', 'docs'], {
      cwd,
      input: 'How do I water tomatoes?\nmaybe\ny\nn nothing more\n',
    });
    expect(code, err).toBe(0);
    expect(err).toMatch(/wants to call search_documents.*Type y to approve the call.*was approved.*was rejected/s);
    expect(out).toMatch(/> Water tomatoes deeply/);
  });

  it('resume with words says them, and without words has nothing to do', async () => {
    const cwd = await starterFolder();
    await runCli(['run', '--docs', 'docs', '--out', 'out', '--quiet', 'How do I water tomatoes?'], { cwd });
    const unmoved = await runCli(['resume', 'last'], { cwd });
    expect([unmoved.code, unmoved.out], unmoved.err).toEqual([0, '']);
    expect(unmoved.err).toMatch(
      /There is nothing to do: run run_\w+ waits for a message\. Send one with: node .* resume run_\w+ "…"\n$/,
    );
    await mkdir(path.join(cwd, 'out'));
    await appendFile(path.join(cwd, 'out', 'report.md'), '# A report\n');
    const { code, out, err } = await runCli(['resume', 'last', 'What', 'does', 'compost', 'do?'], { cwd });
    expect({ code, out: out.startsWith('# What does compost do?\n') }).toEqual({ code: 0, out: true });
    expect(err).toMatch(/^Written: .*report\.md$/m);
    expect((await runCli(['chat', 'last'], { cwd, input: 'And mulch?\n' })).err).toMatch(/^Written: .*report\.md$/m);
  });
});

it('a chat says the first reply from its first word on, also of a model that answers at once', async () => {
  const { out } = await runCli(['chat', '--profiles', 'openmanus'], { cwd: await temporaryFolder(), input: 'hi\n' });
  expect(out).toMatch(/^Without a model I cannot think/);
});

it('a run that is ended at a checkpoint says what it brought, and is not said to wait', async () => {
  const cwd = await starterFolder();
  await appendFile(
    path.join(cwd, 'agent_profiles/profiles/Lead.yaml'),
    'checkpoints: [{ id: soon, after_turns: 1, outcome: stopped }]\n',
  );
  expect((await runCli(['run', '--docs', 'docs', 'How do I water tomatoes?'], { cwd })).code).toBe(1);
  const [{ id } = { id: '' }] = await pendingOf(cwd);
  const ended = await runCli(['answer', 'last', id, 'end'], { cwd });
  expect(ended.err).toContain('run ended completed (stopped)');
  expect(ended.err).not.toContain('There is nothing to do');
  expect([ended.code, ended.out.trim() === '']).toEqual([0, false]);
});
