import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { checkOutput, writeOutput } from '../../files/output-file.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { loadProfiles } from '../../profiles/load-profiles.ts';
import { formatCase, formatProblems } from '../../testing/suite/format-suite.ts';
import { runSuite } from '../../testing/suite/run-suite.ts';
import { writeTest } from '../../testing/suite/write-test.ts';
import type { ExitCode } from '../exit-code.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { findTurn } from '../runs/find-turn.ts';
import { openRecordedRun } from '../runs/recorded-run.ts';
import { openTerminal } from '../terminal/terminal.ts';

/** Options of `test --from`. */
export interface WriteTestOptions {
  /** RUN and TURN. */
  readonly from?: readonly string[];
  readonly out?: string;
  readonly profiles?: string;
  readonly store?: string;
  readonly color?: boolean;
}

/** Writes a test from a recorded turn, with its recording and snapshot, and runs it once. */
export async function writeTestCommand(paths: readonly string[], options: WriteTestOptions): Promise<ExitCode> {
  const [reference, turnReference, ...rest] = [...(options.from ?? []), ...paths];
  if (reference === undefined || turnReference === undefined || rest.length > 0)
    throw new CadreError('OPTION_INVALID', '--from takes a run and a turn: cadre test --from RUN TURN');
  const terminal = openTerminal(options);
  using run = await openRecordedRun(options.store, reference);
  const turnId = findTurn(run.state, turnReference);
  const turn = run.state.turns.get(turnId);
  const agent = turn === undefined ? undefined : run.state.agents.get(turn.agentId);
  if (turn === undefined || agent === undefined)
    throw new CadreError('TURN_UNKNOWN', `run ${run.state.meta.runId} has no turn ${turnId}`);
  const profiles = profilesFolder(options.profiles);
  const { runId } = run.state.meta;
  const file = path.resolve(options.out ?? path.join(await folderOf(profiles, agent.meta.profile), `${turnId}.test.yaml`));
  if (!/\.test\.ya?ml$/i.test(file))
    throw new CadreError('OPTION_INVALID', `--out ${options.out ?? file}: the name of a test file ends in .test.yaml`);
  const byName = { namedBy: options.out === undefined ? 'project' : 'user' } as const;
  await checkOutput(file, byName);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new CadreError('OPTION_INVALID', `${shown(file)} exists; name another file with --out FILE, or remove it`);
  const recordingPath = `__recordings__/${runId}.${turnId}.json`;
  const made = await writeTest(
    { events: run.events, content: run.content, turn },
    { profiles, tools: knownDocumentTools(), recordingPath, redaction: { at: Date.now(), env: process.env, homes: [homedir()] } },
  );
  const recording = path.join(path.dirname(file), recordingPath);
  await writeOutput(recording, made.recording, { namedBy: 'project', projects: [path.dirname(file)] });
  await writeOutput(file, made.text, byName);
  const report = await runSuite({ paths: [file], usual: profiles, profiles, snapshots: 'update', tools: knownDocumentTools() });
  for (const each of [file, recording, ...report.written.map((name) => path.resolve(name))]) terminal.print(`${shown(each)}\n`);
  for (const difference of made.differences) terminal.tell(`${terminal.errorStyle.yellow('differs')} ${safe(difference, 1_000)}\n`);
  if (report.problems.length > 0) terminal.tell(`${formatProblems(report, terminal.errorStyle)}\n`);
  for (const result of report.cases) terminal.tell(`${formatCase(result, terminal.errorStyle)}\n`);
  return report.problems.length > 0 ? 2 : report.cases.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** Returns the folder of a profile's file. */
async function folderOf(profiles: string, name: string): Promise<string> {
  const set = await loadProfiles(profiles, { env: {} });
  const found = set.profiles.get(name);
  if (found === undefined)
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `the turn is one of profile '${name}', and ${shown(profiles)} has none of this name; name its profiles with --profiles DIR`,
    );
  const file = path.join(path.dirname(profiles), found.source.file);
  return existsSync(file) ? path.dirname(file) : profiles;
}

function shown(file: string): string {
  const relative = path.relative('', file);
  return safe(relative.startsWith('..') ? file : relative, 500);
}
