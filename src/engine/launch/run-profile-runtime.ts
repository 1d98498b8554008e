import { CadreError } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { storedText } from '../../core/events/journal.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import { importedFacts } from '../recovery/imported-run.ts';
import { missingText } from '../recovery/resume-texts.ts';
import { ToolsetHold } from '../toolsets/toolset-hold.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Prepares the profiles of a run and the tools that code gave: the engine's own when they are equal, else those in the journal. With
 * `look`, tools do not matter, since nothing is decided.
 */
export async function profileRuntimeOf(
  parts: EngineParts,
  state: RunContext,
  purpose: 'decide' | 'look' = 'decide',
): Promise<ProfileRuntime> {
  const { runtime, journal, rebuild } = parts;
  const { runId, profiles, imported } = state.meta;
  if (imported !== undefined) return { ...runtime, viewed: importedFacts(journal, state) };
  const given = purpose === 'look' || state.meta.given === runtime.code.record().hash ? undefined : state.meta.given;
  if (runtime.snapshot.hash === profiles && given === undefined) return runtime;
  const isOwn = runtime.snapshot.hash === profiles;
  const files = isOwn ? runtime.snapshot.text : requiredText(parts, state, profiles, 'its profiles');
  const code = given === undefined ? undefined : requiredText(parts, state, given, 'the tools that code gave');
  try {
    return await rebuild({ files: readJson(files) as readonly ProfileFile[], given: code });
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    if (thrown.code === 'TOOLSETS_CHANGED')
      throw new CadreError(
        'TOOLSETS_CHANGED',
        `run ${runId}: ${thrown.message}. Give the engine what was given when the run began, or resume it with profiles: 'current'`,
        { cause: thrown, details: thrown.details },
      );
    if (thrown.code !== 'PROFILE_INVALID') throw thrown;
    throw new CadreError(
      'PROFILE_INVALID',
      `run ${runId}: the profiles it was started with do not fit this program any more. Give the engine what they name, or go on with today's. In the journal, ${thrown.message}`,
      { cause: thrown, details: thrown.details },
    );
  }
}

/**
 * Prepares the recorded profiles of a run that engines elsewhere decide: with stand-ins for tools of theirs that this engine lacks. The
 * engine's own when it lacks more than tools.
 */
export async function steeringRuntimeOf(parts: EngineParts, state: RunContext): Promise<ProfileRuntime> {
  const { profiles, given, imported } = state.meta;
  const { runtime } = parts;
  const isOwn = runtime.snapshot.hash === profiles && (given === undefined || given === runtime.code.record().hash);
  if (isOwn || imported !== undefined) return await profileRuntimeOf(parts, state);
  const files = readJson(requiredText(parts, state, profiles, 'its profiles')) as readonly ProfileFile[];
  const code = given === undefined ? undefined : requiredText(parts, state, given, 'the tools that code gave');
  return await parts.rehearse({ files }, code).catch((thrown: unknown) => {
    // They name models or other code that only workers have; nothing here needs the profiles but a change of them.
    if (thrown instanceof CadreError && (thrown.code === 'PROFILE_INVALID' || thrown.code === 'TOOLSETS_CHANGED')) return runtime;
    throw thrown;
  });
}

/** Run that profiles are used for: one on record, or a new one with the values of its request. */
export interface RunToTrust {
  readonly recorded?: RunContext['meta'];
  readonly launched?: { readonly request: JsonObject };
}

/**
 * Holds the toolsets that agents of these profiles may use, once all of them have reported whether they connected. First checks that the
 * profiles are trusted and that a recorded run may continue in its workspace, before any toolset starts.
 */
export async function holdToolsets(
  { trust, clock, left }: EngineParts,
  runtime: ProfileRuntime,
  profiles: Iterable<string>,
  { recorded, launched }: RunToTrust,
): Promise<ToolsetHold> {
  await trust?.(runtime.reaching, recorded, launched);
  return await ToolsetHold.ready(runtime, profiles, clock, left.promise);
}

function requiredText({ journal }: EngineParts, state: RunContext, hash: ContentHash, what: string): string {
  const text = storedText(journal, hash);
  if (text === undefined) throw missingText(state, `${what} (${hash})`);
  return text;
}
