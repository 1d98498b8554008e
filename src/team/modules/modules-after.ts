import { applyPatches } from '../../core/patches/apply-patches.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { WorkModule } from '../../core/team/work-module.ts';

type Modules = Readonly<Record<string, WorkModule>>;

/** Returns the work modules as of the commit of these drafts. */
export function modulesAfter(drafts: readonly EventDraft[], now: Modules): Modules {
  const root = { team: { work_modules: { ...now } } };
  for (const draft of drafts) {
    if (draft.type !== 'state.patch') continue;
    const patches = draft.patches.filter(({ path }) => path[1] === 'work_modules');
    applyPatches(root, patches, [root, root.team, root.team.work_modules]);
  }
  return root.team.work_modules;
}
