import { type JsonObject, isJsonObject, type JsonValue } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { runOverview } from '../../inspect/run-overview.ts';
import type { JsonPatchOperation } from './ag-ui-event.ts';

/** Returns the shared state of a thread: a summary of the run. State sent by clients is ignored. */
export function agUiState(run: RunContext): JsonObject {
  const view = runOverview(run);
  const agents = [...run.agents.values()].map(
    ({ meta, status, result: { outcome }, turn: { count: turnCount }, limits: { usage } }): readonly [string, JsonObject] => [
      meta.agentId,
      {
        profile: meta.profile,
        role: meta.roleName ?? null,
        parent: meta.parentAgentId ?? null,
        module: meta.moduleId ?? null,
        status,
        outcome: outcome ?? null,
        turns: turnCount,
        cost: usage.costUnknown ? null : usage.cost,
      },
    ],
  );
  const modules = Object.values(run.team.workModules).map(({ module_id, name, status }): readonly [string, JsonObject] => [
    module_id,
    { name, status },
  ]);
  return {
    runId: view.runId,
    title: view.title,
    profile: view.profile,
    status: view.status,
    outcome: view.outcome ?? null,
    turns: view.turns,
    toolCalls: view.toolCalls,
    usage: {
      inputTokens: view.inputTokens,
      outputTokens: view.outputTokens,
      cacheReadTokens: view.cacheReadTokens,
      reasoningTokens: view.reasoningTokens,
    },
    cost: view.cost,
    agents: Object.fromEntries(agents),
    modules: Object.fromEntries(modules),
    deliverables: view.deliverables,
  };
}

/** Returns the JSON Patch (RFC 6902) from one object to another; compares objects field by field, other values as a whole. */
export function jsonPatch(before: JsonObject, after: JsonObject, path = ''): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const key of Object.keys(before))
    if (valueAt(after, key) === undefined) operations.push({ op: 'remove', path: below(path, key) });
  for (const key of Object.keys(after)) {
    const place = below(path, key);
    const old = valueAt(before, key);
    const value = valueAt(after, key);
    if (value === undefined) continue;
    if (old === undefined) operations.push({ op: 'add', path: place, value });
    else if (isJsonObject(old) && isJsonObject(value)) operations.push(...jsonPatch(old, value, place));
    else if (!isSame(old, value)) operations.push({ op: 'replace', path: place, value });
  }
  return operations;
}

function valueAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
