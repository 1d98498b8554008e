import type { DueWork } from '../../core/runtime.ts';
import { titleCall } from '../../core/fold/charge.ts';
import type { Effect } from '../../core/events/transaction.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolCatalog } from '../../core/tool/tool.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Input } from '../run/input.ts';
import { assertShape, effectShapes } from './wire-shapes.ts';

/** An effect that is run elsewhere. Requests to stop one are not sent: who runs it follows the journal. */
export type WorkEffect = Exclude<Effect, { readonly kind: 'interrupt' | 'stop' }>;

/** Returns an effect for the way to the engine that runs it; undefined for a request to stop another one. */
export function toWork(run: RunContext, effect: Effect): DueWork | undefined {
  if (effect.kind === 'interrupt' || effect.kind === 'stop') return undefined;
  // URLs of a runtime take it unescaped, and no id has this separator.
  return { key: `${run.meta.runId}~${keyOf(run, effect)}`, effect: effect as unknown as JsonObject };
}

/**
 * Returns the effect of a work. Throws WORKER_LACKS for a kind that only another version of Cadre knows, and for fields that this one cannot
 * read: a worker of that version runs it.
 */
export function effectOf({ key, effect }: DueWork): WorkEffect {
  assertShape(`work ${key}`, effect, effectShapes);
  return effect as unknown as WorkEffect;
}

/** Returns the name of an effect in its run: the same for each time that one attempt is sent. */
function keyOf(run: RunContext, effect: WorkEffect): string {
  switch (effect.kind) {
    case 'model':
      return effect.turnId;
    case 'compaction':
      return effect.compactionId;
    case 'title':
      return titleCall;
    case 'tool':
      return `${effect.callId}.${callOf(run, effect)?.attempt ?? 0}`;
    case 'verify':
      return `${effect.callId}.${callOf(run, effect)?.attempt ?? 0}.verify`;
  }
}

/** True when an effect is still to be run: nothing has answered it. */
export function isDue(run: RunContext, effect: WorkEffect): boolean {
  switch (effect.kind) {
    case 'model': {
      const turn = run.turns.get(effect.turnId);
      return run.agents.get(effect.agentId)?.turn.currentId === effect.turnId && turn?.modelEnd === undefined;
    }
    case 'compaction':
      return run.agents.get(effect.agentId)?.context.compacting?.compactionId === effect.compactionId;
    case 'title':
      return !run.isTitled;
    case 'tool':
    case 'verify':
      return callOf(run, effect)?.status === 'running';
  }
}

/** Returns all works that are due by a run's state alone, as after a crash between a commit and the sending of what it made due. */
export function dueWorks(run: RunContext, catalog: ToolCatalog): readonly DueWork[] {
  const effects: Effect[] = [];
  for (const { meta, status, turn, context, calls } of run.agents.values()) {
    if (status === 'ended') continue;
    const { agentId } = meta;
    const current = turn.currentId === undefined ? undefined : run.turns.get(turn.currentId);
    if (current !== undefined && current.modelEnd === undefined && current.start.prompt !== undefined)
      effects.push({ kind: 'model', agentId, turnId: current.turnId, cause: current.start.seq });
    if (context.compacting !== undefined)
      effects.push({ kind: 'compaction', agentId, compactionId: context.compacting.compactionId, cause: context.compacting.seq });
    for (const { callId, status: state, request, startSeq = request.seq } of calls.open.values()) {
      const tool = catalog.get(request.name);
      if (state !== 'running' || tool?.kind !== 'effect') continue;
      const base = { agentId, turnId: request.turnId, callId, cause: startSeq };
      // A resume starts again what may be repeated; a call that ran before it, and still does, waits for its verification.
      if (startSeq < run.resumedSeq && tool.verify !== undefined) effects.push({ kind: 'verify', ...base, by: tool.verify });
      else effects.push({ kind: 'tool', ...base, pure: tool.effect === 'pure' });
    }
  }
  return effects.flatMap((effect) => toWork(run, effect) ?? []);
}

/** Returns the key in flight (`Effects`) of an effect. */
export function inFlightKey(effect: WorkEffect): string {
  if (effect.kind === 'model') return effect.turnId;
  if (effect.kind === 'compaction') return effect.compactionId;
  return effect.kind === 'title' ? titleCall : effect.callId;
}

/** Returns the key in flight of the effect that an input is the outcome of; undefined for every other input. */
export function answeredKey(input: Input): string | undefined {
  switch (input.kind) {
    case 'model':
      return input.turnId;
    case 'compaction':
      return input.compactionId;
    case 'title':
      return titleCall;
    case 'tool':
    case 'verify':
      return input.callId;
    default:
      return undefined;
  }
}

function callOf(run: RunContext, { agentId, callId }: Extract<WorkEffect, { callId: unknown }>): CallState | undefined {
  return run.agents.get(agentId)?.calls.open.get(callId);
}
