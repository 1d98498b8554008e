import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { abandonedRunsLine, resumeAbandoned } from '../../src/cli/runs/resume-abandoned.ts';
import { writeFoldersNote } from '../../src/cli/terminal/folders-note.ts';
import type { Ids } from '../../src/core/ids.ts';
import type { Engine } from '../../src/index.ts';
import { breathe, testEngine } from '../support/test-engine.ts';
import { temporaryFolder } from './cli-process.ts';

/** Returns the lines of a server that starts with this journal. */
async function linesOf(engine: Engine, file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await resumeAbandoned(engine, { file, store: file, tell: (line) => void lines.push(line) });
  return lines;
}

it('F48: a run that was resumed five times and got no further is left alone, and named with the command that resumes it', async () => {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const first = await testEngine({ store: file, replies: () => ({ hang: true }) });
  const run = await first.launch('Loop.');
  await first.engine.close();
  for (let time = 0; time < 5; time += 1) {
    const next = await testEngine({ store: file, replies: () => ({ hang: true }) });
    expect(await linesOf(next.engine, file)).toEqual([`Run ${run.id} (Loop.) was interrupted and is resumed.\n`]);
    await next.engine.close();
  }
  const last = await testEngine({ store: file, replies: () => ({ text: 'Done.' }) });
  expect(await linesOf(last.engine, file)).toEqual([
    expect.stringMatching(/^Run run_\w+ \(Loop\.\) was resumed several times without progress.* resume run_\w+ --store /),
  ]);
  expect(last.engine.live(run.id)).toBeUndefined();
  // A person can still resume it; afterwards it counts like any other.
  const resumed = await last.engine.resume(run.id);
  expect(await resumed.result).toMatchObject({ status: 'completed' });
  await last.engine.close();
});

it('F48: what cannot be resumed is said with the reason; what another process has, is over, or was started in a terminal is left alone', async () => {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const first = await testEngine({
    store: file,
    replies: ({ prompt }) => (JSON.stringify(prompt).includes('end') ? { text: 'x' } : { hang: true }),
  });
  const damaged = await first.launch('Damaged.');
  const noted = await first.launch('Noted.');
  await (
    await first.launch('The end.')
  ).result;
  await writeFoldersNote(file, noted.id, { out: 'reports' });
  await breathe();
  await first.engine.close();
  const holder = await testEngine({ store: file, replies: () => ({ hang: true }), ids: otherIds() });
  await holder.launch('Held.');
  const database = new DatabaseSync(file);
  database.exec(`DELETE FROM commits WHERE key >> 31 = (SELECT run FROM runs WHERE run_id = '${damaged.id}')`);
  database.close();
  const server = await testEngine({ store: file, replies: () => ({ hang: true }) });
  const lines = await linesOf(server.engine, file);
  expect(lines.toSorted()).toEqual([
    expect.stringMatching(new RegExp(`^Run ${damaged.id} .*could not be resumed: .*journal\\.db`)),
    expect.stringMatching(
      new RegExp(
        `^Run ${noted.id} \\(Noted\\.\\) was started in a terminal and interrupted; resume it with: .* resume ${noted.id}`,
      ),
    ),
  ]);
  expect(await abandonedRunsLine(server.engine, file)).toMatch(/^1 run was interrupted; resume with: .* resume --all --store /);
  await server.engine.close();
  await holder.engine.close();
});

function otherIds(): Ids {
  let count = 0;
  return {
    runId: () => `run_held_${++count}` as ReturnType<Ids['runId']>,
    itemId: () => `held_${++count}` as ReturnType<Ids['itemId']>,
  };
}
