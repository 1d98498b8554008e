import type { EventOf } from '../event.ts';
import type { RunState, RunUsage } from '../state.ts';

/** Usage of nothing yet. */
export function emptyUsage(): RunUsage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    reasoningTokens: 0,
    modelCalls: 0,
    cost: 0,
    costUnknown: false,
  };
}

/** The state of a run before its first agent. */
export function newRunState(event: EventOf<'run.start'>): RunState {
  return {
    meta: {
      runId: event.runId,
      profile: event.profile,
      title: event.title,
      input: event.input,
      createdAt: event.at,
      profiles: event.profiles,
      llmConfig: event.llmConfig,
      engineVersion: event.engineVersion,
      parentRun: event.parentRun,
    },
    status: 'running',
    outcome: undefined,
    output: '',
    deliverables: {},
    error: undefined,
    team: {
      workModules: {},
      dispatchHistory: [],
      dispatchIndex: new Map(),
      dispatchOfAgent: new Map(),
      shared: Object.freeze({}),
      counters: Object.freeze({}),
    },
    agents: new Map(),
    rootAgentId: undefined,
    latestOfType: new Map(),
    activity: 0,
    held: 0,
    turns: new Map(),
    usage: emptyUsage(),
    limits: event.limits,
    seq: 0,
    at: event.at,
    counters: { agents: 0, calls: 0, items: 0, modules: 0, dispatches: 0, turns: 0, toolCalls: 0 },
  };
}

/** Adds one model call to a usage. */
export function addUsage(usage: RunUsage, event: EventOf<'model.end'>): void {
  usage.inputTokens += event.usage.inputTokens ?? 0;
  usage.outputTokens += event.usage.outputTokens ?? 0;
  usage.cacheReadTokens += event.usage.cacheReadTokens ?? 0;
  usage.reasoningTokens += event.usage.reasoningTokens ?? 0;
  usage.modelCalls += 1;
  if (event.cost === undefined) usage.costUnknown = true;
  else usage.cost += event.cost;
}
