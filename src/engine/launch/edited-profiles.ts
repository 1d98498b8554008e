import type { RunContext } from '../../core/state/run-context.ts';
import type { ProfileEdit } from '../../core/events/profile-edit.ts';
import { editProfileFiles, checkEditedFiles } from '../../profiles/files/edit-profile-files.ts';
import type { Input } from '../run/input.ts';
import type { EngineParts } from '../engine-parts.ts';
import { importedRefusal } from '../recovery/imported-run.ts';
import { checkAgent } from '../recovery/resume-plan.ts';
import { holdToolsets, profileRuntimeOf } from './run-profile-runtime.ts';
import { profilesOf } from '../toolsets/toolset-hold.ts';

/** Prepared edit of a run's profiles, before it takes effect. */
export type EditedProfiles = Extract<Input, { kind: 'profiles' }>;

/**
 * Applies edits to copies of a run's profile files, compiles and checks the result like files, and makes sure that every agent at work can
 * continue with it. On failure nothing has changed. The caller releases the hold when the edit is decided.
 */
export async function editedProfiles(
  parts: EngineParts,
  state: RunContext,
  edits: readonly ProfileEdit[],
): Promise<EditedProfiles> {
  const foreign = importedRefusal(state.meta);
  if (foreign !== undefined) throw foreign;
  const before = state.meta.profiles;
  const own = await profileRuntimeOf(parts, state);
  const { set } = own;
  const { files, changes } = editProfileFiles(set, edits);
  checkEditedFiles(set.files, files, state.meta.request);
  const runtime = await parts.compile(files, own);
  for (const agent of state.agents.values()) if (agent.status !== 'ended') checkAgent(parts, runtime, state, agent);
  // Toolsets that an agent could not use until now may not be connected yet.
  const hold = await holdToolsets(parts, runtime, profilesOf(state), { recorded: state.meta });
  return { kind: 'profiles', hold, tools: hold.take(), files: runtime.snapshot.text, changes, before };
}
