import type { EventDraft } from '../../core/events/event.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { modulesAfter } from '../modules/modules-after.ts';

/** The context with modules as they are once these drafts are committed. */
export function withModules(context: TransitionContext, drafts: readonly EventDraft[]): TransitionContext {
  const { run } = context;
  const workModules = { ...modulesAfter(drafts, run.team.workModules) };
  return { ...context, run: { ...run, team: { ...run.team, workModules } } };
}
