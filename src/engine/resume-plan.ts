import { CadreError } from '../core/error.ts';
import type { ContentHash } from '../core/ids.ts';
import { type ContentEntry, storedText } from '../core/journal.ts';
import type { ProfileFile } from '../core/profile.ts';
import type { AgentState, RunState } from '../core/state.ts';
import { compareProfileSets } from '../profiles/compare-profile-sets.ts';
import { checkModel } from './check-model.ts';
import type { EngineParts, ProfileChoice, Workbench } from './engine-parts.ts';
import type { ResumeNote } from './recover.ts';
import { importedFacts } from './imported-run.ts';
import { missingText, textsToHeal } from './resume-texts.ts';
import { frameSeedOf } from './random-ids.ts';
import { toolChanges } from './tool-changes.ts';

/** What a run goes on with. */
export interface ResumePlan {
  readonly workbench: Workbench;
  /** The profile files it goes by from here on, when they are not those from before. */
  readonly profiles?: ContentEntry;
  readonly notes: readonly ResumeNote[];
  /** Texts that are at hand and that the journal may have lost: they are stored again. */
  readonly texts: readonly ContentEntry[];
  /** A seed for the frames of a run that began without one. */
  readonly frameSeed?: string;
}

/**
 * Finds out what a run would go on with, and everything that keeps it from going on, before anything is written: a live
 * agent whose profile is gone or disabled, profiles that are not trusted, a model that cannot be called, a text that is missing from the journal.
 */
export async function planResume(parts: EngineParts, state: RunState, choice: ProfileChoice): Promise<ResumePlan> {
  const workbench = await chosenWorkbench(parts, state, choice);
  await parts.trust?.(workbench.set);
  const notes: ResumeNote[] = [];
  const texts: ContentEntry[] = [];
  const isOther = workbench.snapshot.hash !== state.meta.profiles;
  for (const agent of state.agents.values()) {
    if (agent.status === 'ended') continue;
    checkAgent(parts, workbench, state, agent);
    texts.push(...textsToHeal(parts.journal, workbench, state, agent));
    const changes = changesOfTools(parts, workbench, state, agent);
    const { agentId } = agent.meta;
    if (changes !== undefined)
      notes.push({ code: 'TOOLS_CHANGED', agentId, message: `the tools of ${agentId} are not those of its last turn: ${changes}` });
  }
  // The profiles may be those of the engine itself, which were not read from the journal: then they are in it from now on.
  const seed = state.frameSeed === undefined ? { frameSeed: frameSeedOf(parts.ids) } : {};
  if (!isOther) return { workbench, notes, texts: [...texts, workbench.snapshot], ...seed };
  const differences = await differencesOf(parts, state, workbench);
  notes.unshift({ code: 'PROFILES_CHANGED', message: `the run goes on with today's profiles: ${differences}` });
  return { workbench, profiles: workbench.snapshot, notes, texts, ...seed };
}

/** The profiles a run is to go on with: today's, or those it goes by. */
export async function chosenWorkbench(parts: EngineParts, state: RunState, choice: ProfileChoice): Promise<Workbench> {
  return choice === 'current' ? parts.workbench : await workbenchOf(parts, state);
}

/** The profiles a run goes by, made ready: the engine's own when they are the same, else from the journal. */
export async function workbenchOf(parts: EngineParts, state: RunState): Promise<Workbench> {
  const { workbench, journal, rebuild } = parts;
  const { runId, profiles, imported } = state.meta;
  if (imported !== undefined) return { ...workbench, viewed: importedFacts(journal, state) };
  if (workbench.snapshot.hash === profiles) return workbench;
  const snapshot = storedText(journal, profiles);
  if (snapshot === undefined) throw missingText(state, `its profiles (${profiles})`);
  try {
    return await rebuild(JSON.parse(snapshot) as readonly ProfileFile[]);
  } catch (thrown) {
    if (!(thrown instanceof CadreError) || thrown.code !== 'PROFILE_INVALID') throw thrown;
    throw new CadreError(
      'PROFILE_INVALID',
      `run ${runId}: the profiles it was started with do not fit this program any more. Give the engine what they name, or go on with today's. In the journal, ${thrown.message}`,
      { cause: thrown, details: thrown.details },
    );
  }
}

/** Refuses profiles that an agent at work cannot go on with. */
export function checkAgent(parts: EngineParts, workbench: Workbench, state: RunState, agent: AgentState): void {
  const { agentId, profile: name } = agent.meta;
  const profile = workbench.set.profiles.get(name);
  if (profile === undefined)
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `run ${state.meta.runId}: ${agentId} is at work, and there is no profile '${name}' any more`,
    );
  if (!profile.isActive || profile.isDeleted)
    throw new CadreError(
      'PROFILE_DISABLED',
      `run ${state.meta.runId}: ${agentId} is at work, and its profile '${name}' is disabled`,
    );
  checkModel(parts.gateway, workbench, profile, state.meta.llmConfig);
}

/** What is offered to an agent now and was not in its last turn, or the other way round. */
function changesOfTools({ journal }: EngineParts, workbench: Workbench, state: RunState, agent: AgentState): string | undefined {
  const profile = workbench.set.profiles.get(agent.meta.profile);
  const turnId = agent.currentTurnId ?? agent.lastTurnId;
  const recorded: ContentHash | undefined = turnId === undefined ? undefined : state.turns.get(turnId)?.start.prompt?.tools;
  if (profile === undefined || recorded === undefined) return undefined;
  const { env } = workbench.kernel;
  const { offeredJson } = env.toolsOf(profile, agent);
  if (env.hash(offeredJson) === recorded) return undefined;
  try {
    return toolChanges(storedText(journal, recorded) ?? '[]', offeredJson);
  } catch (thrown) {
    if (!(thrown instanceof CadreError) || thrown.code !== 'STORE_CORRUPT') throw thrown;
    return `what they were is damaged in the journal (${recorded})`;
  }
}

async function differencesOf(parts: EngineParts, state: RunState, current: Workbench): Promise<string> {
  try {
    const recorded = await workbenchOf(parts, state);
    return compareProfileSets(recorded.set, current.set).join('; ') || 'only wording outside their values differs';
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    return `what differs cannot be said, since those from before do not compile any more (${thrown.code})`;
  }
}
