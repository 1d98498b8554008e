import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { ValueTemplate } from './template.ts';

/** One tool call a planner makes. */
export interface PlannedCall {
  readonly tool: string;
  readonly args: ValueTemplate;
}

/** A planner's move in a turn, in place of a model's reply. */
export type PlannerMove =
  /** Runs the calls together; `answer` is the text of the turn after they succeed, and ends the planner's work. */
  | { readonly kind: 'call'; readonly calls: readonly PlannedCall[]; readonly answer?: Template }
  | { readonly kind: 'say'; readonly text: Template }
  | { readonly kind: 'fail'; readonly message: Template }
  /** Leaves the turn to the profile's model. */
  | { readonly kind: 'model' };

/** One rule of a planner; the first whose condition holds applies. */
export interface PlannerRule {
  readonly id: string;
  readonly condition?: Expression;
  readonly move: PlannerMove;
}

/** One step of a script or of a loop. */
export interface PlannerStep extends PlannedCall {
  readonly id: string;
  /** The step is skipped unless it holds. */
  readonly condition?: Expression;
  /** Evaluated on the result; the step fails unless it holds. */
  readonly expect?: Expression;
  /** In a loop: the agent that the step called goes on, instead of a new one starting. */
  readonly keepsAgent: boolean;
  readonly notes?: string;
}

/** A planner by rules. */
export interface RulesPlanner {
  readonly type: 'rules';
  readonly rules: readonly PlannerRule[];
  readonly otherwise: PlannerMove;
  /** Move after a model that was asked which agent to call failed, called none, or named an unknown one. */
  readonly fallback?: PlannerMove;
}

/** A planner that follows a script. */
export interface ScriptPlanner {
  readonly type: 'script';
  readonly steps: readonly PlannerStep[];
  /** Path of steps that come from elsewhere, for example `initial_params.script`. */
  readonly stepsFrom?: string;
  /** Condition under which the steps are only advice to the profile's model, which decides itself. */
  readonly guidedWhen?: Expression;
  readonly stopsOnError: boolean;
  /** Move when there are no steps; without it, that is an error. */
  readonly otherwise?: PlannerMove;
  readonly answer?: Template;
}

/** A planner that repeats its steps until their results are good enough. */
export interface LoopPlanner {
  readonly type: 'loop';
  readonly steps: readonly PlannerStep[];
  readonly maxIterations: number;
  readonly until: Expression;
  readonly answer?: Template;
  /** Move when the last iteration is over and `until` does not hold; without it, that is an error. */
  readonly otherwise?: PlannerMove;
  /** Codes and statuses of failures after which the next iteration is tried. */
  readonly recoverFrom: readonly string[];
}

/** Decides in place of a model, and calls one only if it says so. The kinds `single_action` and `static` are rules, too. */
export type Planner = { readonly kind: string } & (RulesPlanner | ScriptPlanner | LoopPlanner);

/** Transient failures: a busy, slow or cut-off model, and agents that reached a limit. */
export const passingFailures: readonly string[] = [
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_TIMEOUT',
  'MODEL_BAD_RESPONSE',
  'MODEL_STREAM_CUT',
  'MODEL_CALL_BROKEN',
  'MODEL_EMPTY_REPLY',
  'MODEL_OUTPUT_TOO_LARGE',
  'MODEL_CONTEXT_TOO_LONG',
  'MODEL_COOLING',
  'TOOL_TIMEOUT',
  'OUTPUT_INVALID',
  'LIMIT_REACHED',
  'STAGNATION',
];

/** True when a planner may leave a turn to the model of its profile. */
export function mayAskModel(planner: Planner): boolean {
  switch (planner.type) {
    case 'rules':
      return planner.otherwise.kind === 'model' || planner.rules.some(({ move }) => move.kind === 'model');
    case 'script':
      return planner.guidedWhen !== undefined || planner.otherwise?.kind === 'model';
    case 'loop':
      return false;
  }
}
