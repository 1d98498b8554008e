import type { Expression } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';
import type { ValueTemplate } from './template.ts';

/** One tool call a planner makes. */
export interface PlannedCall {
  readonly tool: string;
  readonly args: ValueTemplate;
}

/** What a planner does in a turn, in a model's place. */
export type PlannerMove =
  /** The calls run at once; `answer` is what it says when they have ended well, and ends its part with. */
  | { readonly kind: 'call'; readonly calls: readonly PlannedCall[]; readonly answer?: Template }
  | { readonly kind: 'say'; readonly text: Template }
  | { readonly kind: 'fail'; readonly message: Template }
  /** Leaves the turn to the model of the profile. */
  | { readonly kind: 'model' };

/** One rule of a planner; the first whose condition holds is followed. */
export interface PlannerRule {
  readonly id: string;
  readonly condition?: Expression;
  readonly move: PlannerMove;
}

/** One step of a script or of a loop. */
export interface PlannerStep extends PlannedCall {
  readonly id: string;
  /** The step is left out unless it holds. */
  readonly condition?: Expression;
  /** Asked of the result; when it does not hold, the step has failed. */
  readonly expect?: Expression;
  /** In a loop: the agent that the step called goes on, instead of a new one beginning. */
  readonly keepsAgent: boolean;
  readonly notes?: string;
}

/** A planner by rules. */
export interface RulesPlanner {
  readonly type: 'rules';
  readonly rules: readonly PlannerRule[];
  readonly otherwise: PlannerMove;
  /** In place of a model that was asked whom to call, and failed, called nobody, or called somebody who is not there. */
  readonly fallback?: PlannerMove;
}

/** A planner that follows a script. */
export interface ScriptPlanner {
  readonly type: 'script';
  readonly steps: readonly PlannerStep[];
  /** Where the steps stand when somebody else wrote them, for example `initial_params.script`. */
  readonly stepsFrom?: string;
  /** When it holds, the steps are advice to the model of the profile; it then decides itself. */
  readonly guidedWhen?: Expression;
  readonly stopsOnError: boolean;
  /** Who decides when there are no steps; without one, that is an error. */
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
  /** What is done when the last iteration is over and `until` does not hold; without one, that is an error. */
  readonly otherwise?: PlannerMove;
  /** Codes and statuses of failures after which the next iteration is tried. */
  readonly recoverFrom: readonly string[];
}

/** Who decides in a model's place, and never calls one unless it says so. `single_action` and `static` are rules, too. */
export type Planner = { readonly kind: string } & (RulesPlanner | ScriptPlanner | LoopPlanner);

/** Failures that pass: of models that were busy, slow or cut off, and of agents that ran out of what they had. */
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

/** Tells whether a planner may leave a turn to the model of its profile. */
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
