import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { createProgram } from '../program.ts';
import { openTerminal } from '../terminal/terminal.ts';
import type { Argument, Command, Option } from 'commander';
import { foldEvents } from '../../core/fold/apply-event.ts';
import { statusWord } from '../../inspect/run-words.ts';
import { bundledTeams } from '../../profiles/files/bundled-teams.ts';
import { findRunIn } from '../runs/find-run.ts';

/** Longest description of a candidate. */
const longestDescription = 60;

/** Prints the words that may replace the last one, with a description each: for the scripts of `cadre completion`. */
export async function completeCommand(words: readonly string[]): Promise<void> {
  const candidates = await completeWords(
    createProgram(() => undefined),
    words,
    thingsOfProject(),
  );
  const lines = candidates.map(
    ({ word, description }) => `${toTerminalLine(word, 200)}\t${toTerminalLine(description, longestDescription)}\n`,
  );
  openTerminal().print(lines.join(''));
}

/** Values of an option or argument that are named somewhere in the project. */
const kindOf: Readonly<Record<string, keyof NamedThings>> = {
  '--llm': 'llmConfigs',
  '--profile': 'profiles',
  '--profiles': 'teams',
  '--project': 'projects',
  '--tools-of': 'profiles',
  profile: 'profiles',
  run: 'runs',
  turn: 'turns',
  before: 'turns',
  after: 'turns',
};

/**
 * Returns the words that may replace the last of `words`, those after the program's name: commands, options and their
 * values, and names of the project. Empty where a file belongs, which the shell completes itself.
 */
async function completeWords(program: Command, words: readonly string[], things: NamedThings): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  const [name, ...before] = words.slice(0, -1);
  const command = program.commands.find((each) => each.name() === name);
  if (name === undefined) return matching(commandsOf(program), current);
  if (command === undefined) return [];
  const { option, position, values } = placeIn(command, before);
  if (option !== undefined)
    return matching(await valuesOf(option.argChoices, kindOf[option.long ?? ''], { things, values }), current);
  if (current.startsWith('-')) return matching(command.options.filter(isShown).map(ofOption), current);
  const argument = argumentAt(command, position);
  if (argument === undefined) return [];
  return matching(await valuesOf(argument.argChoices, kindOf[argument.name()], { things, values }), current);
}

function commandsOf(program: Command): readonly Candidate[] {
  return program.commands.map((command) => ({ word: command.name(), description: command.summary() }));
}

function isShown({ hidden }: Option): boolean {
  return !hidden;
}

function ofOption({ long, short, description }: Option): Candidate {
  return { word: long ?? short ?? '', description };
}

/** The option that awaits a value, if any; else the position of the next argument; and the arguments so far. */
function placeIn(
  command: Command,
  before: readonly string[],
): { readonly option?: Option; readonly position: number; readonly values: readonly string[] } {
  const values: string[] = [];
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? '';
    const option = command.options.find(({ long, short }) => word === long || word === short);
    const takesValue = option !== undefined && (option.required || option.optional);
    if (takesValue && index === before.length - 1) return { option, position: values.length, values };
    if (takesValue) index++;
    else if (!word.startsWith('-')) values.push(word);
  }
  return { position: values.length, values };
}

function argumentAt(command: Command, position: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
}

async function valuesOf(
  choices: readonly string[] | undefined,
  kind: keyof NamedThings | undefined,
  { things, values }: { readonly things: NamedThings; readonly values: readonly string[] },
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, description: '' }));
  return kind === undefined ? [] : await things[kind](values[0]);
}

function matching(candidates: readonly Candidate[], current: string): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(current));
}

/** One word that may come next, and what it is. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Names of a project, by what they name. Each returns none where its names cannot be read: completion reports no error. */
interface NamedThings {
  runs(): Promise<readonly Candidate[]>;
  /** The turns of a run, as the command line names it. */
  turns(run: string | undefined): Promise<readonly Candidate[]>;
  projects(): Promise<readonly Candidate[]>;
  profiles(): Promise<readonly Candidate[]>;
  llmConfigs(): Promise<readonly Candidate[]>;
  teams(): Promise<readonly Candidate[]>;
}

/** Most runs and turns that are offered. */
const mostOffered = 50;

/** Returns the names of the project in the working folder, with the default journal. */
function thingsOfProject(): NamedThings {
  return {
    runs: () => unlessBroken(listRuns),
    turns: (run) => unlessBroken(() => listTurns(run ?? 'last')),
    projects: () => unlessBroken(listProjects),
    profiles: () => unlessBroken(() => listNames(({ profiles }) => profiles)),
    llmConfigs: () => unlessBroken(() => listNames(({ llmConfigs }) => llmConfigs)),
    teams: async () => bundledTeams().map((word) => ({ word, description: 'a team that comes with Cadre' })),
  };
}

/** A shell that completes a word has no place for an error. */
async function unlessBroken(list: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  return await list().catch(() => []);
}

async function withJournal<Result>(
  read: (journal: Awaited<ReturnType<(typeof import('../runs/recorded-run.ts'))['openRecords']>>) => Promise<Result>,
): Promise<Result> {
  const { openRecords } = await import('../runs/recorded-run.ts');
  const journal = await openRecords(undefined);
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}

async function listRuns(): Promise<readonly Candidate[]> {
  const runs = await withJournal(async (journal) => await journal.runs());
  const newest = runs.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, mostOffered);
  const named = newest.map((run) => ({ word: run.runId as string, description: `${statusWord(run)}: ${run.title}` }));
  return newest.length === 0 ? [] : [{ word: 'last', description: 'the newest run' }, ...named];
}

async function listProjects(): Promise<readonly Candidate[]> {
  const runs = await withJournal(async (journal) => await journal.runs());
  return [...new Set(runs.flatMap(({ project }) => project ?? []))].map((word) => ({ word, description: 'a project' }));
}

async function listTurns(reference: string): Promise<readonly Candidate[]> {
  return await withJournal(async (journal) => {
    const { runId } = await findRunIn(journal, reference);
    const state = foldEvents(await journal.read(runId), 'everything');
    const turns = [...(state?.turns.values() ?? [])].slice(-mostOffered);
    return [
      { word: 'last', description: 'the last turn' },
      ...turns.map(({ turnId, end }) => ({ word: turnId as string, description: end?.status ?? 'running' })),
    ];
  });
}

async function listNames(
  part: (
    set: Awaited<ReturnType<(typeof import('../../profiles/load-profiles.ts'))['loadProfiles']>>,
  ) => ReadonlyMap<string, unknown>,
): Promise<readonly Candidate[]> {
  const [{ loadProfiles }, { profilesFolder }] = await Promise.all([
    import('../../profiles/load-profiles.ts'),
    import('../options/profiles-folder.ts'),
  ]);
  const set = await loadProfiles(profilesFolder(undefined));
  return [...part(set).keys()].map((word) => ({ word, description: '' }));
}
