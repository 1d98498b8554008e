import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { unknownCalls } from '../../core/state/unknown-calls.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { stagnationOutcome } from '../../core/profile/escalation.ts';
import { clipText } from '../reports/clip-text.ts';
import type { MadeCall } from './call-memo.ts';
import { clipValue } from '../reports/clip-deliverables.ts';

/** Maximum length of the text, and of the deliverables, in one report, in characters; the agent keeps the full version. */
const maxOutput = 60_000;
const maxDeliverables = 96_000;

/**
 * Report on a called agent for its caller. `status` is `success`, `error`, `limit`, `stagnation`, `cancelled`, a word that the
 * agent's profile ends with (such as `needs_help`), `waiting` for an agent that awaits input, or `refused` when no agent started.
 */
export interface AgentReport extends JsonObject {
  readonly status: string;
  readonly profile: string;
}

const failures: ReadonlySet<string> = new Set(['error', 'limit', 'cancelled', 'refused', stagnationOutcome]);

/** True when a report means that the work was not done. A profile's own end words do not count as failures. */
export function isFailure({ status }: AgentReport): boolean {
  return failures.has(status);
}

/** Builds the report of a request from the agent's current state. */
export function reportOf(call: MadeCall, run: RunContext): AgentReport {
  if (!('agentId' in call)) return { status: 'refused', profile: call.profile, message: call.refused };
  const agent = run.agents.get(call.agentId);
  const { profile, agentId: agent_id } = call;
  if (agent === undefined) return { status: 'cancelled', profile, agent_id, message: 'the agent is gone' };
  const isOver = agent.status === 'ended';
  return {
    status: isOver ? (agent.result.outcome ?? 'error') : 'waiting',
    profile,
    agent_id,
    output: clipText(isOver ? agent.result.output : agent.turn.lastReply, maxOutput),
    ...(hasSome(agent.deliverables) ? { deliverables: clipped(agent.deliverables) } : {}),
    ...errorOf(agent),
    ...unknownCalls(agent),
    ...(isOver ? {} : { message: `${agent_id} waits for your answer: give it by calling again with this agent_id.` }),
  };
}

function errorOf({ result: { error } }: SubContext): JsonObject {
  return error === undefined ? {} : { error: { code: error.code, message: clipText(error.message, 4_000) } };
}

function hasSome(deliverables: JsonObject): boolean {
  return Object.keys(deliverables).length > 0;
}

/** Returns deliverables unchanged if they fit, otherwise with long values shortened. */
function clipped(deliverables: JsonObject): JsonObject {
  if (JSON.stringify(deliverables).length <= maxDeliverables) return deliverables;
  const entries = Object.entries(deliverables);
  const share = Math.floor(maxDeliverables / entries.length);
  return Object.fromEntries(entries.map(([key, value]): [string, JsonValue] => [key, clipValue(value ?? null, share)]));
}
