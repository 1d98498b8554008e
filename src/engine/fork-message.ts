import { CadreError } from '../core/error.ts';
import type { RunState } from '../core/state.ts';
import type { EngineParts, ForkOptions } from './engine-parts.ts';
import { outsideMessage } from './outside-message.ts';
import type { SaidAtResume } from './recover.ts';

/** What is said to a fork as it begins, read and checked before anything is written. */
export async function forkMessage(
  { ids, workspaceOf }: Pick<EngineParts, 'ids' | 'workspaceOf'>,
  fork: RunState,
  message: ForkOptions['message'],
): Promise<SaidAtResume | undefined> {
  if (message === undefined) return undefined;
  const { runId } = fork.meta;
  const root = fork.rootAgentId === undefined ? undefined : fork.agents.get(fork.rootAgentId);
  if (root === undefined || root.status === 'ended')
    throw new CadreError('AGENT_ENDED', `the first agent of run ${runId} has ended where it is forked; fork it at an earlier turn`);
  const item = await outsideMessage(message, undefined, workspaceOf(fork.meta));
  return { to: root.meta.agentId, item: { ...item, itemId: ids.itemId() } };
}
