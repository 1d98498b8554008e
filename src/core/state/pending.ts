import { isAsking } from './is-asking.ts';
import type { CapabilityPart } from './capability.ts';
import { CadreError } from '../error.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { checkpointChoices, type OwnQuestion, questionId } from './own-question.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';
import type { SandboxUse, ApprovalWait } from '../tool/wait-for.ts';

/** A request that waits for a person. */
export interface PendingRequest {
  /** The call id, or the id of an agent's own question; pass it to `approve`, `reject` or `answer`. */
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly agentId: string;
  /** The agents from the root down to the asking one. */
  readonly path: readonly string[];
  readonly turnId: string;
  /** Empty when the profile asks: an escalation or a checkpoint. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly message?: string;
  readonly schema?: JsonObject;
  /**
   * The asking gate and its profile: the scope of `approve(id, { always: true })`. The gate `needs_approval` is requested by the
   * tool itself.
   */
  readonly gate?: { readonly id: string; readonly profile: string };
  /** For an approval: the provenance of the model's prompt when it made the call, as gates see it (`prompt`). */
  readonly prompt?: PromptFacts;
  /** For an approval: sandbox use of the programs that the tool starts; absent when it starts none. */
  readonly sandbox?: SandboxUse;
  /** For an approval that is asked again: the parts that changed since a person approved this call. */
  readonly changed?: readonly CapabilityPart[];
  /** For an approval: hash of everything that `approve` agrees to. Pass it to `approve` to approve exactly this. */
  readonly fingerprint?: string;
  /** Wall time of the request, in milliseconds since 1970. */
  readonly since: number;
  /** Wall time at which it is answered automatically; absent when it never expires. */
  readonly expiresAt?: number;
  /** The automatic answer. */
  readonly onExpire?: 'allow' | 'deny';
}

/** Returns every request of a run that waits for a person, at any depth of the agent tree. */
export function pendingOf(run: RunContext): readonly PendingRequest[] {
  const pending: PendingRequest[] = [];
  for (const agent of run.agents.values()) {
    if (agent.turn.question !== undefined && isAsking(agent)) pending.push(questionOf(run, agent, agent.turn.question));
    for (const call of agent.calls.open.values()) {
      const { waitFor } = call;
      if (call.status !== 'suspended' || waitFor === undefined || waitFor.kind === 'agents') continue;
      pending.push({
        id: call.callId,
        kind: waitFor.kind,
        agentId: agent.meta.agentId,
        path: pathOf(run, agent),
        turnId: call.request.turnId,
        tool: call.request.name,
        // A copy: a reader may edit what it gets, and the call must run with what was requested.
        args: structuredClone(call.args ?? {}),
        since: call.request.at,
        ...(waitFor.expires === undefined
          ? {}
          : {
              expiresAt: (call.suspendedAt ?? call.request.at) + run.jumpedMs + waitFor.expires.afterMs,
              onExpire: waitFor.kind === 'approval' ? waitFor.expires.verdict : 'deny',
            }),
        ...(waitFor.kind === 'approval' ? approvalFacts(agent, waitFor) : {}),
        ...(waitFor.kind === 'question'
          ? { message: waitFor.prompt }
          : waitFor.message === undefined
            ? {}
            : { message: waitFor.message }),
        ...(waitFor.kind === 'question' && waitFor.schema !== undefined ? { schema: waitFor.schema } : {}),
      });
    }
  }
  return pending;
}

/** Returns the facts that a person needs to decide about a call. */
function approvalFacts(
  { meta }: SubContext,
  { gateId, capability, prompt, sandbox, changed }: ApprovalWait,
): Pick<PendingRequest, 'gate' | 'prompt' | 'sandbox' | 'changed' | 'fingerprint'> {
  return {
    gate: { id: gateId, profile: meta.profile },
    ...(prompt === undefined ? {} : { prompt }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(changed === undefined ? {} : { changed }),
    ...(capability === undefined ? {} : { fingerprint: capability.fingerprint }),
  };
}

/** Converts a question that the profile asks on behalf of its agent; no tool call belongs to it. */
function questionOf(run: RunContext, agent: SubContext, question: OwnQuestion): PendingRequest {
  const { agentId } = agent.meta;
  return {
    id: questionId(agentId),
    kind: 'question',
    agentId,
    path: pathOf(run, agent),
    turnId: agent.turn.lastId ?? '',
    tool: '',
    args: {},
    message: question.prompt,
    ...(question.checkpoint === undefined ? {} : { schema: { enum: [...checkpointChoices] } }),
    since: question.since,
  };
}

function pathOf(run: RunContext, agent: SubContext): readonly string[] {
  const parent = agent.meta.parentAgentId === undefined ? undefined : run.agents.get(agent.meta.parentAgentId);
  return [...(parent === undefined ? [] : pathOf(run, parent)), agent.meta.agentId];
}

/** Rejects an answer that is not among the choices of a question. Throws OPTION_INVALID. */
export function checkAnswer(request: PendingRequest, value: JsonValue): void {
  const choices = request.schema?.['enum'];
  if (!Array.isArray(choices) || choices.includes(value)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `the answer to ${request.id} must be one of ${JSON.stringify(choices)}, not ${JSON.stringify(value)}`,
  );
}
