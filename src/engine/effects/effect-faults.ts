import { CadreError, describeThrown } from '../../core/error.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelOutcome, OutageNews } from '../../core/model/model.ts';
import type { Input } from '../run/input.ts';

/** Returns the outcome of a model call that failed before it was made. */
export function couldNotBeMade(thrown: unknown): ModelOutcome {
  const message = `the model call could not be made: ${describeThrown(thrown)}`;
  const code = thrown instanceof CadreError ? thrown.code : 'INTERNAL';
  return { kind: 'error', error: { code, message }, usage: {}, attempts: [] };
}

/** Returns the input that records a provider outage or its end. */
export function outageNote(about: { readonly agentId: AgentId; readonly turnId?: TurnId }, { kind, message }: OutageNews): Input {
  return { kind: 'note', level: kind === 'began' ? 'warning' : 'info', code: 'MODEL_OUTAGE', message, about };
}

/** Returns the input that records a tool that blocked the event loop. */
export function blockedNote(name: string, callId: string, ms: number): Input {
  const message =
    `'${name}' (${callId}) let nothing else in this process run for ${Math.round(ms / 100) / 10} s, ` +
    'and no deadline can stop it meanwhile; move long computations to a worker or another process';
  return { kind: 'note', level: 'warning', code: 'EVENT_LOOP_BLOCKED', message };
}

/** Returns the note about a wait of `ms` milliseconds for a store that other processes kept locked. */
export function waitedNote(ms: number): Input {
  const message = `the run waited ${Math.round(ms / 100) / 10} s for the journal, which another process kept locked`;
  return { kind: 'note', level: 'warning', code: 'STORE_WAITED', message };
}

/** Returns the note about a subscriber that threw. */
export function subscriberNote(message: string): Input {
  return { kind: 'note', level: 'warning', code: 'SUBSCRIBER_FAILED', message };
}
