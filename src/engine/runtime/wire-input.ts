import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import { redactInput } from '../input/redact-input.ts';
import type { Input } from '../run/input.ts';
import { decodeOutcome, encodeOutcome } from './wire-outcome.ts';
import { assertShape, inputShapes } from './wire-shapes.ts';
import { readJson } from '../../core/read-json.ts';

/** An input without what only the engine that decides it can add: its tools, and its hold on their toolsets. */
export type SentInput =
  | Exclude<Input, { readonly kind: 'recover' | 'profiles' }>
  | Omit<Extract<Input, { readonly kind: 'recover' }>, 'tools'>
  | Omit<Extract<Input, { readonly kind: 'profiles' }>, 'tools' | 'hold'>;

/** Asks to look at a run again: agents that may go on do, and all that is due is sent again. */
export const lookInput: JsonObject = { kind: 'look' };

/** Returns an input as JSON, without secrets. */
export function encodeInput(input: Input, secrets: Secrets): JsonObject {
  switch (input.kind) {
    case 'start':
    case 'toolset':
      throw new CadreError('INTERNAL', `an input '${input.kind}' goes to no other process`);
    case 'tool':
    case 'verify':
      return toJson({ ...input, outcome: encodeOutcome(input.outcome, secrets) });
    case 'recover': {
      const { tools: _, ...rest } = input;
      return toJson(redactInput(secrets, { ...rest, tools: [] }));
    }
    case 'profiles': {
      const { tools: _tools, hold: _hold, ...rest } = input;
      return toJson(rest);
    }
    default:
      return toJson(redactInput(secrets, input));
  }
}

/**
 * Returns the input that was sent. Throws WORKER_LACKS for a kind that only another version of Cadre knows, and for fields that this one
 * cannot read: a worker of that version applies it.
 */
export function decodeInput(sent: JsonObject): SentInput {
  assertShape('an input', sent, inputShapes);
  if (sent['kind'] !== 'tool' && sent['kind'] !== 'verify') return sent as unknown as SentInput;
  return { ...sent, outcome: decodeOutcome(sent['outcome'] as JsonObject) } as unknown as SentInput;
}

function toJson(value: object): JsonObject {
  return readJson(JSON.stringify(value)) as JsonObject;
}
