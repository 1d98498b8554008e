import type { ErrorRecord } from '../../core/error.ts';
import type { Scope } from '../../core/expression/expression.ts';
import type { Template } from '../../core/expression/template.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import type { PlannedCall } from '../../core/profile/planner.ts';
import type { PlannedResult, PlannerMemory } from './planner-memory.ts';

/** Decision of a planner, with a one-line reason. */
export type PlannerDecision =
  | {
      readonly kind: 'call';
      readonly calls: readonly {
        readonly id: string;
        readonly iteration: number;
        readonly tool: string;
        readonly args: JsonValue;
        /** The arguments with untrusted text framed, for agents that read them; absent when they quote none. */
        readonly shown?: JsonValue;
      }[];
      readonly why: string;
    }
  | { readonly kind: 'say'; readonly text: string; readonly why: string }
  | { readonly kind: 'fail'; readonly error: ErrorRecord; readonly why: string; readonly isThrown?: true }
  | { readonly kind: 'model'; readonly why: string };

/** Facts a planner decides on. */
export interface PlanView {
  readonly memory: PlannerMemory;
  /** The roots of its agent, and `task`, `last`, `results`, `step`, `iteration` and `max_iterations`. */
  readonly scope: (more?: { readonly iteration: number; readonly max_iterations: number }) => Scope;
  readonly hasTool: (name: string) => boolean;
  /** Untrusted sources of all that was filled in, and of steps from elsewhere. */
  readonly taint: () => Labels;
  /** Reads the steps of a script from a path. */
  readonly read: (path: string) => unknown;
  /** Fills in a text. The view notes the untrusted sources of what it quotes. */
  readonly fill: (text: Template, scope?: Scope) => string;
  /** Fills in the arguments of a call. */
  readonly args: (call: PlannedCall, scope?: Scope) => { readonly args: JsonValue; readonly shown?: JsonValue };
}

/** Longest message of an error. */
const longestMessage = 1_000;

/** A plan that has failed. */
export function failure(message: string, why: string): Extract<PlannerDecision, { kind: 'fail' }> {
  const text = message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`;
  return { kind: 'fail', error: { code: 'PLAN_FAILED', message: text }, why };
}

/** Describes a failed step. */
export function failureText({ tool, status, error, content }: PlannedResult): string {
  const why = error === null ? content : `${error.code}: ${error.message}`;
  return `'${tool}' ended with ${status}${why === '' ? '' : ` (${why})`}`;
}

/** The calls of a move, with their arguments filled in. */
export function callsOf(calls: readonly PlannedCall[], id: string, view: PlanView, iteration = 1) {
  return calls.map((call) => ({ id, iteration, tool: call.tool, ...view.args(call) }));
}

/** The newest results, if the last thing done was to call something. */
export function lastResults({ turns }: PlannerMemory): readonly PlannedResult[] {
  return turns.at(-1) ?? [];
}
