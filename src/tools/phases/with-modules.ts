import type { EventDraft } from '../../core/event.ts';
import type { TransitionContext } from '../../core/transition.ts';
import type { WorkModule } from '../../core/work-module.ts';

/** The context with modules as they are once these drafts are committed. */
export function withModules(context: TransitionContext, drafts: readonly EventDraft[]): TransitionContext {
  const workModules: Record<string, WorkModule> = { ...context.run.team.workModules };
  for (const draft of drafts) {
    if (draft.type !== 'module.update') continue;
    const known = workModules[draft.moduleId];
    workModules[draft.moduleId] = { ...known, ...draft.patch } as WorkModule;
  }
  return { ...context, run: { ...context.run, team: { ...context.run.team, workModules } } };
}
