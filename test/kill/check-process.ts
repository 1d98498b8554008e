/*
 * A process that comes after the killed ones: `node check-process.ts ROOT FOLDER…`. It takes up the run of each folder, sees it
 * through, and prints one JSON line per folder: what it found, and everything that is wrong.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { Run } from '../../src/engine/run.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { checkRun, type RunVerdict } from './check-run.ts';
import { readLedger } from './ledger.ts';
import { prepareSweep, type SweepTeam } from './sweep-team.ts';

const [root = '', ...folders] = process.argv.slice(2);
using team = await prepareSweep(root);
for (const folder of folders) process.stdout.write(`${JSON.stringify(await check(team, folder))}\n`);

async function check(sweep: SweepTeam, folder: string): Promise<RunVerdict> {
  const before = await eventsOf(folder);
  const acknowledged = Math.max(0, ...readLedger(folder).map((line) => (line.kind === 'acknowledged' ? line.seq : 0)));
  try {
    await using engine = await sweep.open(folder);
    const run: Run = await sweep.play(engine, folder);
    const root = run.state.rootAgentId === undefined ? undefined : run.state.agents.get(run.state.rootAgentId);
    const after = await eventsOf(folder);
    return checkRun({ folder, before, acknowledged, after, ledger: readLedger(folder), report: root?.turn.lastReply ?? '' });
  } catch (thrown) {
    const problem = `it could not be taken up: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
    return { folder, interrupted: true, begun: before.length > 0, report: '', problems: [problem], seen: {} };
  }
}

/** The events in the folder's journal; none when it was not begun. */
async function eventsOf(folder: string): Promise<readonly CadreEvent[]> {
  const file = path.join(folder, 'journal.db');
  if (!existsSync(file)) return [];
  const journal = createSqliteJournal(file, { readOnly: true });
  try {
    const [run] = await journal.runs();
    const events = run === undefined ? [] : await journal.read(run.runId);
    if (events.length > 0 && foldEvents(events) === undefined) throw new Error('the journal cannot be folded');
    return events;
  } finally {
    await journal.close();
  }
}
