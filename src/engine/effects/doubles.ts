import type { ModelOutcome, ModelRequest } from '../../core/model/model.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { CheckedModelGateway } from '../../models/gateway.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';

/**
 * Replaces everything outside a run, in tests of profiles: no tool runs, and each model call passes through `model`. Deciding never
 * reads it; transition tools, which are part of decisions, run as always.
 */
export interface Doubles {
  /** Answers a tool call. */
  readonly tool: (run: RunContext, agent: SubContext, call: CallState) => Promise<ToolOutcome>;
  /** Makes a model call, or answers it; `call` makes it through the gateway. */
  readonly model: (request: ModelRequest, call: () => Promise<ModelOutcome>) => Promise<ModelOutcome>;
}

/** Returns a gateway whose calls pass through the double, if there is one. */
export function withDouble(gateway: CheckedModelGateway, doubles: Doubles | undefined): CheckedModelGateway {
  if (doubles === undefined) return gateway;
  return { ...gateway, call: (request) => doubles.model(request, () => gateway.call(request)) };
}
