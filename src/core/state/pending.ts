import type { CapabilityPart } from './capability.ts';
import { CadreError } from '../error.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type OpenAsking, openAskings } from './open-askings.ts';
import { checkpointChoices } from './own-question.ts';
import type { PromptFacts } from '../prompt/prompt-sources.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';
import type { ToolEffect } from '../tool/tool-effect.ts';
import type { SandboxUse, ApprovalWait } from '../tool/wait-for.ts';

/** A request that waits for a person. */
export interface PendingRequest {
  /**
   * Id of this asking: of this run, this moment, and what is shown. Pass it to `approve`, `reject` or `answer`. Whatever is asked later,
   * the same call among it, has another id.
   */
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly agentId: string;
  /** The agents from the root down to the asking one. */
  readonly path: readonly string[];
  readonly turnId: string;
  /** The call it is about; absent when the profile asks: an escalation or a checkpoint. */
  readonly callId?: string;
  /** Empty when the profile asks. */
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
  /** For an approval: safety of repeating the call. */
  readonly effect?: ToolEffect;
  /** For an approval: untrusted sources of the state that `message` quotes. */
  readonly taint?: readonly string[];
  /** For an approval that is asked again: the parts that changed since a person approved this call. */
  readonly changed?: readonly CapabilityPart[];
  /** Hash of everything that is shown; for an approval, of everything that `approve` agrees to. Part of the id. */
  readonly fingerprint: string;
  /** Wall time of the request, in milliseconds since 1970. */
  readonly since: number;
  /** Wall time at which it is answered automatically; absent when it never expires. */
  readonly expiresAt?: number;
  /** The automatic answer. */
  readonly onExpire?: 'allow' | 'deny';
}

/** Returns every request of a run that waits for a person, at any depth of the agent tree. */
export function pendingOf(run: RunContext): readonly PendingRequest[] {
  return openAskings(run).map((asking) => (asking.kind === 'own' ? ownRequest(run, asking) : callRequest(run, asking)));
}

function callRequest(run: RunContext, { id, agent, call, waitFor }: Extract<OpenAsking, { kind: 'call' }>): PendingRequest {
  const { message } = waitFor.kind === 'question' ? { message: waitFor.prompt } : waitFor;
  return {
    id,
    kind: waitFor.kind,
    agentId: agent.meta.agentId,
    path: pathOf(run, agent),
    turnId: call.request.turnId,
    callId: call.callId,
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
    ...(waitFor.kind === 'approval' ? approvalFacts(agent, waitFor) : { fingerprint: waitFor.fingerprint }),
    ...(message === undefined ? {} : { message }),
    ...(waitFor.kind === 'question' && waitFor.schema !== undefined ? { schema: waitFor.schema } : {}),
  };
}

/** Returns the facts that a person needs to decide about a call. */
function approvalFacts(
  { meta }: SubContext,
  { gateId, capability, prompt, sandbox, effect, taint, changed }: ApprovalWait,
): Pick<PendingRequest, 'gate' | 'prompt' | 'sandbox' | 'effect' | 'taint' | 'changed' | 'fingerprint'> {
  return {
    gate: { id: gateId, profile: meta.profile },
    ...(prompt === undefined ? {} : { prompt }),
    ...(sandbox === undefined ? {} : { sandbox }),
    effect: effect ?? 'unsafe',
    ...(taint === undefined ? {} : { taint }),
    ...(changed === undefined ? {} : { changed }),
    fingerprint: capability.fingerprint,
  };
}

/** Converts a question that the profile asks on behalf of its agent; no tool call belongs to it. */
function ownRequest(run: RunContext, { id, agent, question }: Extract<OpenAsking, { kind: 'own' }>): PendingRequest {
  const { agentId } = agent.meta;
  return {
    id,
    kind: 'question',
    agentId,
    path: pathOf(run, agent),
    turnId: agent.turn.lastId ?? '',
    tool: '',
    args: {},
    message: question.prompt,
    fingerprint: question.fingerprint,
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
