import type { Ingestor } from '../core/inbox/ingestor.ts';
import { readPlanBook, showPlan } from '../core/team/plan.ts';

/** The plan that is worked at, as the toolset `plan` keeps it in state, under `params.title` when there is one; empty without a plan. */
export const plan: Ingestor = {
  name: 'plan',
  ingest: (payload, params) => {
    const { active, plans } = readPlanBook(payload);
    const current = active === null ? undefined : plans[active];
    if (active === null || current === undefined) return '';
    const { title } = params;
    return `${typeof title === 'string' && title !== '' ? `${title}\n` : ''}${showPlan(active, current)}`;
  },
};
