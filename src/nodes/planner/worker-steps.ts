import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/**
 * Puts the steps of a script that are for workers together: neighbours of the same worker and mode become one call of that
 * worker, which is handed them as its own script, to be followed exactly (`direct`) or as advice (`guided`).
 */
export function groupByWorker(steps: readonly JsonValue[]): readonly JsonValue[] {
  const grouped: JsonValue[] = [];
  let open: { readonly worker: string; readonly mode: string; readonly script: JsonObject[] } | undefined;
  for (const step of steps) {
    const worker = isJsonObject(step) ? step['worker'] : undefined;
    if (!isJsonObject(step) || typeof worker !== 'string') {
      open = undefined;
      grouped.push(step);
      continue;
    }
    const mode = step['mode'] === 'guided' ? 'guided' : 'direct';
    const { worker: _worker, mode: _mode, ...own } = step;
    if (open?.worker === worker && open.mode === mode) {
      open.script.push(own);
      continue;
    }
    open = { worker, mode, script: [own] };
    grouped.push(callOf(open));
  }
  return grouped;
}

/** The call of a worker; its script grows while neighbours join it. */
function callOf({
  worker,
  mode,
  script,
}: {
  readonly worker: string;
  readonly mode: string;
  readonly script: JsonObject[];
}): JsonObject {
  const input =
    mode === 'direct' ? 'Follow the script you are handed.' : 'Reach what the steps you are handed are for, in your own way.';
  return { tool: 'call_agent', args: { profile: worker, input, data: { script, mode } } };
}
