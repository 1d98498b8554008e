import type { JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { runOverview } from '../../inspect/run-overview.ts';

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
