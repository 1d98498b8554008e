import type { EventDraft } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { ModuleStatus } from '../../core/team/work-module.ts';

/** Returns the event that moves a plan's module to a status, with notes. */
export function moveModule(
  moduleId: string,
  status: ModuleStatus,
  review: JsonObject | null,
  { run, changeModules }: TransitionContext,
): readonly EventDraft[] {
  const module = run.team.workModules[moduleId];
  if (module === undefined) return [];
  return changeModules(new Map([[moduleId, { ...module, status, review_info: review }]]), { on: run });
}
