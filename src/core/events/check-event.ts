import { optional, record } from '../schema/records.ts';
import type { Problem } from '../schema/schema.ts';
import { count, oneOf, time } from '../schema/values.ts';
import { runId } from './common-parts.ts';
import type { EventPlace } from './define-event.ts';
import { eventDefinitions } from './event.ts';

const place = record<EventPlace & { readonly type: string }>({
  type: oneOf(...eventDefinitions.keys()),
  runId,
  seq: count,
  at: time,
  cause: optional(count),
});

/** Checks an event from outside, of any type; returns its first fault. */
export function checkEvent(event: unknown): Problem | undefined {
  const problem = place.check(event);
  if (problem !== undefined) return problem;
  const { type } = event as { readonly type: string };
  return eventDefinitions.get(type)?.schema.check(event);
}
