import type { RunState } from '../core/state.ts';
import type { ProfileEdit } from '../core/profile-edit.ts';
import { checkEditedFiles } from '../profiles/check-edited-files.ts';
import { editProfileFiles } from '../profiles/edit-profile-files.ts';
import type { Input } from './decide.ts';
import type { EngineParts } from './engine-parts.ts';
import { importedRefusal } from './imported-run.ts';
import { checkAgent, workbenchOf } from './resume-plan.ts';
import { profilesOf, toolsetsNeeded } from './toolsets-needed.ts';

/** What an edit of a run's profiles comes to, before anything of it holds. */
export type EditedProfiles = Extract<Input, { kind: 'profiles' }>;

/**
 * Carries edits out on the files a run goes by, compiles and checks the outcome as files are checked, and sees to it that every
 * agent at work can go on with it. Nothing has changed when it fails.
 */
export async function editedProfiles(parts: EngineParts, state: RunState, edits: readonly ProfileEdit[]): Promise<EditedProfiles> {
  const foreign = importedRefusal(state.meta);
  if (foreign !== undefined) throw foreign;
  const before = state.meta.profiles;
  const { set } = await workbenchOf(parts, state);
  const { files, changes } = editProfileFiles(set, edits);
  checkEditedFiles(set.files, files, state.meta.request);
  const workbench = await parts.compile(files);
  for (const agent of state.agents.values()) if (agent.status !== 'ended') checkAgent(parts, workbench, state, agent);
  // What an agent could not use until now may not be connected yet.
  await parts.toolsets.ready(parts.clock, toolsetsNeeded(workbench.set, profilesOf(state)));
  return { kind: 'profiles', kernel: workbench.kernel, files: workbench.snapshot.text, changes, before };
}
