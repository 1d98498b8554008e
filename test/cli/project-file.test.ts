import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

async function project(team: string): Promise<string> {
  const cwd = await starterFolder();
  await writeFile(path.join(cwd, 'agent_profiles/team.yaml'), `type: team\nname: mine\n${team}`);
  await writeFile(
    path.join(cwd, 'agent_profiles/llm_configs/echo.yaml'),
    'name: echo\ntype: llm_config\nconfig: { provider: scripted, model: echo, script: scripts/echo.yaml }\n',
  );
  await writeFile(path.join(cwd, 'agent_profiles/scripts/echo.yaml'), "name: echo\nrules: []\notherwise: 'from the echo'\n");
  return cwd;
}

it('team.yaml names the journal, the documents, the model and the first profile of a project', async () => {
  const cwd = await project('llm: echo\nstore: ../data/journal.db\ndocs: ../handbook\ndefault_profile: Lead\n');
  await mkdir(path.join(cwd, 'handbook'));
  await writeFile(path.join(cwd, 'handbook/tea.md'), '# Tea\n\nTea steeps three minutes.\n');
  const ran = await runCli(['run', '--quiet', 'How long does tea steep?'], { cwd });
  expect(ran.out).toContain('from the echo');
  expect([existsSync(path.join(cwd, 'data/journal.db')), existsSync(path.join(cwd, '.cadre/journal.db'))]).toEqual([true, false]);
  // Every command reads the same journal, from the project's folder.
  const turns = await runCli(['turns', 'last'], { cwd });
  expect([turns.code, turns.out]).toEqual([0, expect.stringContaining('Lead_1')]);
  const elsewhere = await runCli(['turns', 'last', '--store', '.cadre/other.db'], { cwd });
  expect(elsewhere.code).not.toBe(0);
  // Profiles of another place do not change whose journal it is.
  const others = await runCli(
    ['run', '--quiet', '--profiles', 'openmanus', '--profile', 'manus', '--llm', 'offline', 'List the files here.'],
    { cwd },
  );
  expect([others.err, (await runCli(['runs'], { cwd })).out.match(/^run_/gm)?.length]).toEqual([expect.any(String), 2]);
  // The documents are those that it names: the default folder is not read.
  const scripted = await runCli(['run', '--llm', 'offline', 'How long does tea steep?'], { cwd });
  expect(`${scripted.out}${scripted.err}`).toContain('tea.md');
}, 60_000);

it('what leads out of the project, and what does not exist, is refused', async () => {
  const outside = await runCli(['runs'], { cwd: await project('store: ../../../elsewhere/journal.db\n') });
  expect([outside.code, outside.err]).toEqual([
    2,
    expect.stringMatching(/team\.yaml: store: .* leads to .*, outside the project .*; name it with --store/),
  ]);
  const docs = await runCli(['run', 'a question'], { cwd: await project('docs: /etc\n') });
  expect([docs.code, docs.err]).toEqual([2, expect.stringContaining('docs: /etc leads to /etc, outside the project')]);
  const unknown = await runCli(['run', 'a question'], { cwd: await project('llm: ecco\n') });
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringMatching(/team\.yaml:3:6: .*`ecco`.*did you mean `echo`/)]);
}, 60_000);
