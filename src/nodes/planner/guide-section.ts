import { agentScope } from '../../core/state/agent-scope.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnViewEnv } from '../../core/state/turn-view.ts';
import type { PlanView } from './plan.ts';
import { stepsOf } from './plan-script.ts';

/** The id of the segment with a script that is advice, in the log of a system prompt. */
export const guideSectionId = 'script';

/** Returns the prompt section for a script that the model follows at its discretion; empty without one, or when it runs as written. */
export function guideSection(env: TurnViewEnv, run: RunContext, agent: SubContext, { planner }: CompiledProfile): string {
  if (planner?.type !== 'script' || planner.guidedWhen === undefined) return '';
  const base = agentScope(env, run, agent);
  const task = agent.initialParams['input'] ?? run.meta.input;
  const scope: PlanView['scope'] = () => ({ ...base, task, last: null, results: {}, step: 0, iteration: 1, max_iterations: 1 });
  try {
    if (!planner.guidedWhen.test(scope())) return '';
    const steps = stepsOf(planner, { memory: { task: '', turns: [] }, scope, hasTool: () => true });
    if (typeof steps === 'string' || steps.length === 0) return '';
    const lines = steps.map(({ tool, args, notes }, index) => {
      const words = notes === undefined ? '' : `: ${notes}`;
      return `${index + 1}. \`${tool}\` ${JSON.stringify(args.build(scope()))}${words}`;
    });
    return `## Suggested steps\n\nGo by them as far as they help; you decide.\n\n${lines.join('\n')}`;
  } catch {
    // The planner meets the same failure when it is asked, and puts it on the record.
    return '';
  }
}
