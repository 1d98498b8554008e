import { foldEvents } from '../../core/fold/apply-event.ts';
import { statusWord } from '../../inspect/run-words.ts';
import { bundledTeams } from '../../profiles/files/bundled-teams.ts';
import { findRun } from '../runs/find-run.ts';

/** One word that may come next, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Names of a project, by what they name. Each returns none where its names cannot be read: completion reports no error. */
export interface NamedThings {
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
export function thingsOfProject(): NamedThings {
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
    const { runId } = findRun(await journal.runs(), reference, journal.location);
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
