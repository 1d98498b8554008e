import type { EventDraft } from '../core/events/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { TransitionOutcome } from '../core/tool/transition.ts';

/** Returns data for the model as JSON text; `isError` marks a failure the model should act on. */
export function dataOutcome(data: JsonObject, events: readonly EventDraft[] = [], isError = false): ResultOutcome {
  return { kind: 'result', content: JSON.stringify(data), isError, events };
}

type ResultOutcome = Extract<TransitionOutcome, { kind: 'result' }>;

/** Returns a refusal: nothing happened, and the text gives the reason and the allowed values. */
export function refusal(message: string): TransitionOutcome {
  return { kind: 'result', content: message, isError: true };
}
