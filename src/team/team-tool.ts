import type { JsonSchema } from '../core/json.ts';
import type { TransitionTool } from '../core/tool/tool.ts';
import { argumentCheck } from '../tools/schema/check-arguments.ts';

/** What a team tool says of itself; everything else has the same value for all of them. */
export interface TeamToolSpec
  extends
    Pick<TransitionTool, 'name' | 'description' | 'toolset' | 'effect' | 'run'>,
    Partial<
      Pick<TransitionTool, 'resume' | 'cancel' | 'endsFlow' | 'unique' | 'handoverProtocol' | 'guide' | 'maxResultChars' | 'polls'>
    > {
  readonly parameters: JsonSchema;
}

/** A suspended dispatch waits as long as its associates take; their own limits end them, this bound only catches the absurd. */
const timeoutMs = 24 * 60 * 60 * 1000;

/** Makes a transition tool of a spec. */
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
