import { isAsking } from './asks-person.ts';
import type { CapabilityPart } from './capability.ts';
import { CadreError } from '../error.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { checkpointChoices, type OwnQuestion, questionId } from './own-question.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';
import type { SandboxUse, ApprovalWait } from '../tool/wait-for.ts';

/** Something that waits for a person. */
export interface PendingRequest {
  /** The call id, or the id of an agent's own question; what `approve`, `reject` and `answer` take. */
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly agentId: string;
  /** The agents from the root down to the one that asks. */
  readonly path: readonly string[];
  readonly turnId: string;
  /** Empty when the profile asks: its ladder against stagnation, or one of its checkpoints. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly message?: string;
  readonly schema?: JsonObject;
  /** The gate that asks, and the profile it stands in: what `approve(id, { always: true })` would allow all calls of the tool before.
   *  The gate `needs_approval` is the tool's own wish. */
  readonly gate?: { readonly id: string; readonly profile: string };
  /** Of an approval: where what the model was looking at came from when it made the call, as gates see it (`prompt`). */
  readonly prompt?: PromptFacts;
  /** Of an approval: whether the programs that the tool starts run in the sandbox; absent when it starts none. */
  readonly sandbox?: SandboxUse;
  /** Of an approval: what has changed since a person agreed to this call, who is therefore asked again. */
  readonly changed?: readonly CapabilityPart[];
  /** Of an approval: the hash of all that `approve` agrees to. Hand it to `approve` to agree to nothing else. */
  readonly fingerprint?: string;
  /** Wall time it was asked at, in milliseconds since 1970. */
  readonly since: number;
  /** Wall time at which it is answered without a person; absent when it waits for ever. */
  readonly expiresAt?: number;
  /** How it is answered then. */
  readonly onExpire?: 'allow' | 'deny';
}

/** Everything of a run that waits for a person, wherever in the tree it was asked. */
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
        // A copy: what is shown to a person may be edited there, and what was asked for is what runs.
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

/** What a person must know before they let a call run. */
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

/** What a profile asks in the place of its agent; no tool asked it. */
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

/** Refuses an answer that is not among the choices a question offers. */
export function checkAnswer(request: PendingRequest, value: JsonValue): void {
  const choices = request.schema?.['enum'];
  if (!Array.isArray(choices) || choices.includes(value)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `the answer to ${request.id} must be one of ${JSON.stringify(choices)}, not ${JSON.stringify(value)}`,
  );
}
