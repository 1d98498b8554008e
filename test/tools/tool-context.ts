import { tmpdir } from 'node:os';
import type { AgentId, CallId, RunId, TurnId } from '../../src/core/ids.ts';
import { Resources } from '../../src/engine/effects/resources.ts';
import type { ToolContext } from '../../src/core/tool/tool.ts';

/** A context as the engine hands it to a tool, for tests that run one directly. */
export function toolContext(change: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'r1' as RunId,
    agentId: 'Agent_1' as AgentId,
    turnId: 'Agent_1.t1' as TurnId,
    toolCallId: 'c00000001' as CallId,
    idempotencyKey: 'r1.c00000001.request',
    providerCallId: 'call_1',
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
    agent: {},
    team: {},
    request: {},
    context: {},
    workspace: tmpdir(),
    stored: () => undefined,
    live: { agent: new Resources('the test'), run: new Resources('the test'), engine: new Resources('the test') },
    ...change,
  };
}
