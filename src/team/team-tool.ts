import type { JsonSchema } from '../core/json.ts';
import type { TransitionTool } from '../core/tool/tool.ts';
import { argumentCheck } from '../tools/schema/check-arguments.ts';

/** Declaration of a team tool; all other settings are the same for every team tool. */
export interface TeamToolSpec
  extends
    Pick<TransitionTool, 'name' | 'description' | 'toolset' | 'effect' | 'run'>,
    Partial<
      Pick<TransitionTool, 'resume' | 'cancel' | 'endsFlow' | 'unique' | 'handoverProtocol' | 'guide' | 'maxResultChars' | 'polls'>
    > {
  readonly parameters: JsonSchema;
}

/** Bounds a suspended dispatch only in extreme cases; associates end by their own limits. */
const timeoutMs = 24 * 60 * 60 * 1000;

/** Creates a transition tool from a spec. */
export function teamTool(spec: TeamToolSpec): TransitionTool {
  return {
    kind: 'transition',
    concurrency: 'parallel',
    endsFlow: false,
    unique: false,
    timeoutMs,
    maxResultChars: 200_000,
    contextContributions: [],
    trust: 'trusted',
    ...spec,
    check: argumentCheck(spec.parameters, `tool ${spec.name}`),
  };
}
