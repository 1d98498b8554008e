import { CadreError } from '../../core/error.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { ForkOptions } from '../launch-options.ts';
import { externalMessage } from '../input/external-message.ts';
import type { ResumeMessage } from '../recovery/recover.ts';

/** Returns the first message of a fork, parsed and checked before anything is written. */
export async function forkMessage(
  { ids, workspaceOf }: Pick<EngineParts, 'ids' | 'workspaceOf'>,
  fork: RunContext,
  message: ForkOptions['message'],
): Promise<ResumeMessage | undefined> {
  if (message === undefined) return undefined;
  const { runId } = fork.meta;
  const root = fork.rootAgentId === undefined ? undefined : fork.agents.get(fork.rootAgentId);
  if (root === undefined || root.status === 'ended')
    throw new CadreError('AGENT_ENDED', `the first agent of run ${runId} has ended where it is forked; fork it at an earlier turn`);
  const item = await externalMessage(message, undefined, workspaceOf(fork.meta));
  return { to: root.meta.agentId, item: { ...item, itemId: ids.itemId() } };
}
