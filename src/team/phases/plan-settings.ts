import type { JsonObject } from '../../core/json.ts';

/** Settings of a phases toolset, checked against the kind's schema. */
export interface PlanSettings {
  readonly defaultExecutor: string | undefined;
  readonly maxParallel: number;
  readonly maxPhases: number;
  readonly maxPlans: number;
  readonly onFailure: 'stop' | 'continue';
  readonly showPlan: boolean;
  readonly ends: 'never' | 'on_success' | 'always';
}

/** Parses settings and fills in defaults. */
export function readPlanSettings(settings: JsonObject): PlanSettings {
  const { default_executor: executor, ends } = settings;
  const count = (key: string, usual: number): number => (typeof settings[key] === 'number' ? settings[key] : usual);
  return {
    defaultExecutor: typeof executor === 'string' ? executor : undefined,
    maxParallel: count('max_parallel', 8),
    maxPhases: count('max_phases', 50),
    maxPlans: count('max_plans', 5),
    onFailure: settings['on_failure'] === 'continue' ? 'continue' : 'stop',
    showPlan: settings['show_plan'] === true,
    ends: ends === 'on_success' || ends === 'always' ? ends : 'never',
  };
}
