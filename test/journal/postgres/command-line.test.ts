import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { assertJournal } from '../../../src/testing/index.ts';
import { startChatModel, writeSoloTeam } from '../../cli/chat-model.ts';
import { runCli, startForTest, starterFolder, temporaryFolder } from '../../cli/cli-process.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';

const server = await sharedServer();
const password = decodeURIComponent(new URL(server.url()).password);

it('a killed process: the run is resumed by another one, while the first lives it is refused, and tail tells when it is gone', async () => {
  const cwd = await temporaryFolder();
  const model = await startChatModel();
  await writeSoloTeam(cwd, model.baseUrl);
  const store = ['--store', server.url(server.newSchema())];
  const first = startForTest(['run', '--docs', 'docs', 'Hello?', ...store], { cwd });
  while (model.requests === 0) await pause(10);
  const refused = await runCli(['resume', 'last', '--quiet', ...store], { cwd });
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/run_\w+ is being advanced by \d+@/)]);
  const tail = startForTest(['tail', 'last', ...store], { cwd });
  await tail.until('run run_');
  first.child.kill('SIGKILL');
  await first.finished;
  expect((await tail.finished).err).toContain('was interrupted: no process advances it');
  model.answer('Hello from the second.');
  const second = await runCli(['resume', 'last', ...store], { cwd });
  expect([second.code, second.out], second.err).toEqual([0, expect.stringContaining('Hello from the second.')]);
  const journal = createPostgresJournal({ url: store[1] ?? '' });
  const [run] = await journal.runs();
  assertJournal(await journal.read(run?.runId ?? ('' as never)));
  await journal.close();
  const said = [refused, second].map(({ out, err }) => out + err).join('') + first.said() + tail.said();
  expect(said).not.toContain(password);
  expect(said).not.toContain(encodeURIComponent(password));
});

it('team.yaml names the server, and its password comes from a variable; runs, turns, why, fork, serve and doctor use it', async () => {
  const cwd = await starterFolder();
  const schema = server.newSchema();
  const shown = server.url(schema).replace(/:[^:@/]+@/, ':$${SECRET_WORD}@');
  const team = path.join(cwd, 'agent_profiles/team.yaml');
  await writeFile(team, `${existsSync(team) ? await readFile(team, 'utf8') : 'type: team\nname: mine\n'}\nstore: ${shown}\n`);
  const env = { SECRET_WORD: password };
  const untrusted = await runCli(['runs'], { cwd, env });
  expect([untrusted.code, untrusted.err]).toEqual([2, expect.stringMatching(/stores its runs on a server: postgres:.*--trust/s)]);
  const missing = await runCli(['run', '--trust', 'What is here?'], { cwd });
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('the environment has no variable SECRET_WORD')]);
  const early = await runCli(['doctor', '--trust'], { cwd, env });
  expect(early.out, early.err).toMatch(/✓ journal: .*none yet; the first run creates it/);
  const ran = await runCli(['run', '--trust', 'What is here?'], { cwd, env });
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toContain(`is stored in ${shown}`);
  const listed = await runCli(['runs'], { cwd, env });
  expect(listed.out).toMatch(/^run_\w+ +idle/m);
  const turns = await runCli(['turns', 'last', '--json'], { cwd, env });
  const [turn] = JSON.parse(turns.out) as readonly { readonly turnId: string }[];
  const why = await runCli(['why', 'last', turn?.turnId ?? '', 'What is here?'], { cwd, env });
  expect([why.code, why.out], why.err).toEqual([0, expect.stringContaining('USER_PROMPT')]);
  const forked = await runCli(['fork', 'last', 'And now?', '--quiet'], { cwd, env });
  expect(forked.code, forked.err).toBe(0);
  const doctor = await runCli(['doctor'], { cwd, env });
  expect(doctor.out).toContain(`?schema=${schema}: 2 runs`);
  const serving = startForTest(['serve', '--open', '--port', '0'], { cwd, env });
  await serving.until('(Ctrl-C');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(serving.said())?.[0] ?? '';
  const list = (await (await fetch(`${url}/api/runs`)).json()) as { readonly runs: readonly unknown[] };
  expect(list.runs).toHaveLength(2);
  serving.child.kill('SIGINT');
  expect((await serving.finished).code).toBe(0);
  const said = [ran, listed, turns, why, forked, doctor].map(({ out, err }) => out + err).join('') + serving.said();
  expect(said).not.toContain(password);
  expect(said).not.toContain(encodeURIComponent(password));
  expect(existsSync(path.join(cwd, '.cadre/journal.db'))).toBe(false);
});

it('without the package pg a command says what to install', async () => {
  const cwd = await temporaryFolder();
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => {
      if (name === 'pg') throw Object.assign(new Error("Cannot find package 'pg'"), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  const { code, err } = await runCli(['runs', '--store', server.url()], { cwd, env });
  expect([code, err]).toEqual([2, expect.stringMatching(/needs the package pg, which is not installed .*npm install pg@8/)]);
});

it('a server that does not answer, and a schema without a journal, end a command with what to do', async () => {
  const cwd = await temporaryFolder();
  const gone = await runCli(['runs', '--store', 'postgres://me:secret-word@127.0.0.1:1/db'], { cwd });
  expect([gone.code, gone.err]).toEqual([
    1,
    expect.stringMatching(/me:\*\*\*@127\.0\.0\.1:1.*no connection to the server .*ECONNREFUSED/),
  ]);
  expect(gone.err).not.toContain('secret-word');
  const none = await runCli(['runs', '--store', server.url(server.newSchema())], { cwd });
  expect([none.code, none.err]).toEqual([1, expect.stringMatching(/there is no journal in schema test_/)]);
});
