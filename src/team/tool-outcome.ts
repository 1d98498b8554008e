import type { EventDraft } from '../core/events/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { TransitionOutcome } from '../core/tool/transition.ts';

/** Data for the model, as JSON text; `isError` marks it as a failure the model should act on. */
export function dataOutcome(data: JsonObject, events: readonly EventDraft[] = [], isError = false): TransitionOutcome {
  return { kind: 'result', content: JSON.stringify(data), isError, events };
}

/** A refusal: nothing happened, and the text says why and what is allowed. */
export function refusal(message: string): TransitionOutcome {
  return { kind: 'result', content: message, isError: true };
}
