import { applyPatches } from '../../core/patches/apply-patches.ts';
import { noteStateTaint } from '../../core/patches/state-taint.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { WorkModule } from '../../core/team/work-module.ts';

type Modules = Readonly<Record<string, WorkModule>>;

/** Returns the work modules as of the commit of these drafts. */
function modulesAfter(drafts: readonly EventDraft[], now: Modules): Modules {
  const root = { team: { work_modules: { ...now } } };
  for (const draft of drafts) {
    if (draft.type !== 'state.patch') continue;
    const patches = draft.patches.filter(({ path }) => path[1] === 'work_modules');
    applyPatches(root, patches, [root, root.team, root.team.work_modules]);
  }
  return root.team.work_modules;
}

/** Returns the context with modules, and the untrusted sources of them, as of the commit of these drafts. */
export function withModules(context: TransitionContext, drafts: readonly EventDraft[]): TransitionContext {
  const { run } = context;
  const workModules = { ...modulesAfter(drafts, run.team.workModules) };
  const later = { ...run, team: { ...run.team, workModules, taint: new Map(run.team.taint) } };
  for (const draft of drafts) if (draft.type === 'state.patch') noteStateTaint(later, context.agent, draft);
  return { ...context, run: later };
}
