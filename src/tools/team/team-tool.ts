import { Ajv } from 'ajv';
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { ArgumentCheck, TransitionTool } from '../../core/tool.ts';

/** What a team tool says of itself; everything else has the same value for all of them. */
export interface TeamToolSpec
  extends Pick<TransitionTool, 'name' | 'description' | 'toolset' | 'effect' | 'run'>,
    Partial<Pick<TransitionTool, 'resume' | 'endsFlow' | 'unique' | 'handoverProtocol' | 'guide' | 'maxResultChars'>> {
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
    check: argumentCheck(spec.parameters),
  };
}

/** A check of arguments against a schema, compiled on first use so that loading the tools costs nothing. */
function argumentCheck(schema: JsonSchema): (args: JsonObject) => ArgumentCheck {
  let validate: ReturnType<Ajv['compile']> | undefined;
  return (args) => {
    validate ??= new Ajv({ allErrors: true, strict: false }).compile(schema);
    if (validate(args)) return { ok: true, args };
    const errors = validate.errors ?? [];
    return { ok: false, errors: errors.map((error) => ({ path: error.instancePath, message: error.message ?? 'is not valid' })) };
  };
}
