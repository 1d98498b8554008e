import type { EventDraft } from '../../core/events/event.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { modulesAfter } from '../modules/modules-after.ts';

/** Returns the context with modules as of the commit of these drafts. */
export function withModules(context: TransitionContext, drafts: readonly EventDraft[]): TransitionContext {
  const { run } = context;
  const workModules = { ...modulesAfter(drafts, run.team.workModules) };
  return { ...context, run: { ...run, team: { ...run.team, workModules } } };
}
