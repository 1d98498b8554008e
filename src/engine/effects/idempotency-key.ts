import { hash } from 'node:crypto';
import type { RunId } from '../../core/ids.ts';
import type { CallState } from '../../core/state/turn-state.ts';

/**
 * Returns the key under which a tool asks a service for one request: the run, the call, and 132 bits of a hash over the tool's name and its
 * arguments, since call ids count from 1 in every run. A tool that verifies a call uses the key of that call.
 */
export function idempotencyKey(runId: RunId, { callId, request, args }: CallState): string {
  const hashed = hash('sha256', JSON.stringify([request.name, args]), 'base64url').slice(0, 22);
  return `${runId}.${callId}.${hashed}`;
}
