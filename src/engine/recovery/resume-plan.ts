import { CadreError } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type ContentEntry, storedText } from '../../core/events/journal.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { compareProfileSets } from '../../profiles/files/compare-profile-sets.ts';
import { checkModel } from '../launch/check-launch.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { ProfileChoice } from '../launch-options.ts';
import type { ResumeNote } from './recover.ts';
import { frameSeedOf } from '../random-ids.ts';
import { textsToRestore } from './resume-texts.ts';
import { holdToolsets, profileRuntimeOf, steeringRuntimeOf } from '../launch/run-profile-runtime.ts';
import { givenDifferences } from '../toolsets/given-differences.ts';
import { readGivenTools } from '../toolsets/given-tools.ts';
import { RunTools } from '../toolsets/run-tools.ts';
import { ToolsetHold, profilesOf } from '../toolsets/toolset-hold.ts';
import { toolChanges } from '../toolsets/tool-list.ts';

/** Profiles, toolsets and notes that a run continues with. */
export interface ResumePlan extends Disposable {
  readonly runtime: ProfileRuntime;
  /** Hold on the connecting toolsets that the run uses; disposing of the plan releases it. */
  readonly hold: ToolsetHold;
  /** Profile files used from here on, when they differ from those before. */
  readonly profiles?: ContentEntry;
  /** Tools that code gives from here on, when they differ from the record. */
  readonly given?: ContentEntry;
  readonly notes: readonly ResumeNote[];
  /** Available texts that the journal may have lost: they are stored again. */
  readonly texts: readonly ContentEntry[];
  /** Seed for the frames of a run that began without one. */
  readonly frameSeed?: string;
}

/**
 * Plans a run's continuation and finds every obstacle before anything is written: a live agent whose profile is gone or disabled, untrusted
 * profiles, a toolset that cannot be restored, a model that cannot be called, a text that is missing from the journal.
 */
export async function planResume(parts: EngineParts, state: RunContext, choice: ProfileChoice = 'recorded'): Promise<ResumePlan> {
  const runtime = choice === 'current' ? parts.runtime : await profileRuntimeOf(parts, state);
  const hold = await holdToolsets(parts, runtime, profilesOf(state), { recorded: state.meta });
  const dispose = (): void => hold[Symbol.dispose]();
  try {
    return { runtime, hold, ...(await changesSince(parts, state, { runtime, hold })), [Symbol.dispose]: dispose };
  } catch (thrown) {
    dispose();
    throw thrown;
  }
}

/**
 * Plans to steer a run that engines elsewhere advance: nothing is decided here, so that models, tools and trust are theirs to look after, and
 * no toolset connects. Tools that this engine lacks have stand-ins.
 */
export async function planSteering(parts: EngineParts, state: RunContext): Promise<ResumePlan> {
  const runtime = await steeringRuntimeOf(parts, state);
  const hold = ToolsetHold.ofNone(runtime);
  const seed = state.frameSeed === undefined ? { frameSeed: frameSeedOf(parts.ids) } : {};
  return { runtime, hold, notes: [], texts: [], ...seed, [Symbol.dispose]: () => hold[Symbol.dispose]() };
}

async function changesSince(
  parts: EngineParts,
  state: RunContext,
  { runtime, hold }: Pick<ResumePlan, 'runtime' | 'hold'>,
): Promise<Pick<ResumePlan, 'profiles' | 'given' | 'notes' | 'texts'>> {
  // Current tools: toolsets are connected by now.
  const now = { set: runtime.set, decision: new RunTools(hold).decision };
  const notes: ResumeNote[] = [];
  const texts: ContentEntry[] = [];
  const isOther = runtime.snapshot.hash !== state.meta.profiles;
  for (const agent of state.agents.values()) {
    if (agent.status === 'ended') continue;
    checkAgent(parts, runtime, state, agent);
    texts.push(...textsToRestore(parts.journal, now, state, agent));
    const changes = changesOfTools(parts, now, state, agent);
    const { agentId } = agent.meta;
    if (changes !== undefined)
      notes.push({ code: 'TOOLS_CHANGED', agentId, message: `the tools of ${agentId} are not those of its last turn: ${changes}` });
  }
  const ofCode = codeNote(parts, state, runtime);
  if (ofCode !== undefined) notes.unshift({ code: 'TOOLS_CHANGED', message: ofCode });
  const given = currentCodeTools(runtime, state);
  // The profiles may be the engine's own, which were not read from the journal: the plan stores them.
  const seed = state.frameSeed === undefined ? { frameSeed: frameSeedOf(parts.ids) } : {};
  if (!isOther) return { notes, texts: [...texts, runtime.snapshot, runtime.code.record()], ...given, ...seed };
  const ofProfiles = await differencesOf(parts, state, runtime);
  notes.unshift({ code: 'PROFILES_CHANGED', message: `the run goes on with today's profiles: ${ofProfiles}` });
  return { profiles: runtime.snapshot, notes, texts, ...given, ...seed };
}

/** Returns the tools that code gives, when they differ from the run's record. */
export function currentCodeTools({ code }: ProfileRuntime, { meta }: RunContext): { readonly given?: ContentEntry } {
  const given = code.record();
  return given.hash === meta.given ? {} : { given };
}

/** Describes how the tools that code gives differ from the run's record; undefined when no difference is worth reporting. */
function codeNote({ journal, runtime: own }: EngineParts, { meta }: RunContext, { code }: ProfileRuntime): string | undefined {
  if (code.differences.length > 0)
    return `the run goes on with the settings that code gave when it began; this program's code gives others: ${code.differences.join('; ')}`;
  // Recorded tools that are gone are noted for each agent.
  if (meta.given === undefined || code !== own.code || code.record().hash === meta.given) return undefined;
  const recorded = textOrDamage(journal, meta.given);
  const differences =
    recorded === undefined
      ? ['what it gave before is damaged in the journal']
      : givenDifferences(readGivenTools(recorded), readGivenTools(code.record().text));
  return differences.length === 0 ? undefined : `the run goes on with what code gives today: ${differences.join('; ')}`;
}

/** Refuses profiles that an agent at work cannot go on with. */
export function checkAgent(parts: EngineParts, runtime: ProfileRuntime, state: RunContext, agent: SubContext): void {
  const { agentId, profile: name } = agent.meta;
  const profile = runtime.set.profiles.get(name);
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
  checkModel(parts.gateway, runtime, profile, state.meta.llmConfig);
}

/** Describes how the tools offered to an agent differ from those of its last turn. */
function changesOfTools(
  { journal }: EngineParts,
  { set, decision: { env } }: Pick<ProfileRuntime, 'set' | 'decision'>,
  state: RunContext,
  agent: SubContext,
): string | undefined {
  const profile = set.profiles.get(agent.meta.profile);
  const turnId = agent.turn.currentId ?? agent.turn.lastId;
  const recorded: ContentHash | undefined = turnId === undefined ? undefined : state.turns.get(turnId)?.start.prompt?.tools;
  if (profile === undefined || recorded === undefined) return undefined;
  const { offeredJson } = env.toolsOf(profile, agent);
  if (env.hash(offeredJson) === recorded) return undefined;
  const before = textOrDamage(journal, recorded);
  return before === undefined ? `what they were is damaged in the journal (${recorded})` : toolChanges(before, offeredJson);
}

/** Returns a stored text that serves only a note; undefined when it is damaged or missing. */
function textOrDamage(journal: EngineParts['journal'], hash: ContentHash): string | undefined {
  try {
    return storedText(journal, hash);
  } catch (thrown) {
    if (!(thrown instanceof CadreError) || thrown.code !== 'STORE_CORRUPT') throw thrown;
    return undefined;
  }
}

/** Describes how profiles differ from those that a run recorded. */
export async function differencesOf(parts: EngineParts, state: RunContext, current: ProfileRuntime): Promise<string> {
  try {
    const recorded = await profileRuntimeOf(parts, state, 'look');
    return compareProfileSets(recorded.set, current.set).join('; ') || 'only wording outside their values differs';
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    return `what differs cannot be said, since those from before do not compile any more (${thrown.code})`;
  }
}
