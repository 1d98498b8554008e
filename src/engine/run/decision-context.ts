import type { Env } from '../../core/env.ts';
import type { createAgentNode } from '../../nodes/turn/agent-node.ts';
import type { createToolNode } from '../../nodes/tools/tool-node.ts';

/** Nodes and environment that a run decides with. */
export interface DecisionContext {
  readonly env: Env;
  readonly agentNode: ReturnType<typeof createAgentNode>;
  readonly toolNode: ReturnType<typeof createToolNode>;
}
