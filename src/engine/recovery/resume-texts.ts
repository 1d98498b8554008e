import { TurnContext } from '../../core/turn-context.ts';
import { CadreError } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type ContentEntry, type Journal, storedText } from '../../core/events/journal.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { Transaction } from '../../core/events/transaction.ts';
import type { SegmentRecord } from '../../core/state/turn.ts';
import { buildSystemPrompt } from '../../nodes/prompt/build-system-prompt.ts';
import type { ProfileRuntime } from '../engine-parts.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Checks the texts of an agent's next model call before its run is resumed: a missing text would change the call. Returns those that the
 * journal has lost or damaged and that are available, to be stored again.
 *
 * @throws CadreError `STORE_CORRUPT` or `STORE_FAILED` for a text that is not available
 */
export function textsToRestore(
  journal: Journal,
  runtime: Pick<ProfileRuntime, 'decision' | 'set'>,
  run: RunContext,
  agent: SubContext,
): readonly ContentEntry[] {
  const healed = new Map<ContentHash, string>();
  let atHand: ReadonlyMap<ContentHash, string> | undefined;
  const read = (hash: ContentHash, what: string): string => {
    const stored = tryRead(journal, hash);
    if (typeof stored === 'string') return stored;
    atHand ??= textsAtHand(runtime, run, agent);
    const right = healed.get(hash) ?? atHand.get(hash);
    if (right === undefined) throw stored ?? missingText(run, `${what} of ${agent.meta.agentId} (${hash})`);
    healed.set(hash, right);
    return right;
  };
  const { head, earlier = [] } = agent.context.view;
  for (const hash of [...earlier.map((before) => before.head), head]) if (hash !== undefined) read(hash, 'a summary');
  const turn = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  if (turn?.start.prompt !== undefined && turn.modelEnd === undefined) {
    const { system, tools } = turn.start.prompt;
    read(tools, 'the tools');
    for (const { hash } of readJson(read(system, 'how a system prompt was made')) as readonly SegmentRecord[])
      if (hash !== undefined) read(hash, 'a part of the system prompt');
  }
  return [...healed].map(([hash, text]) => ({ hash, text }));
}

/** Returns the error for a run that lacks a text. */
export function missingText(run: RunContext, what: string): CadreError {
  return new CadreError(
    'STORE_CORRUPT',
    `run ${run.meta.runId}: a text is missing in the journal: ${what}. Restore the journal from a copy`,
  );
}

/** Returns a stored text, undefined when there is none, or the reason why it cannot be read. */
function tryRead(journal: Journal, hash: ContentHash): string | CadreError | undefined {
  try {
    return storedText(journal, hash);
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'STORE_CORRUPT') return thrown;
    throw thrown;
  }
}

/** Returns the texts of an agent's prompt as built now, by hash: they include those unchanged since its turn began. */
function textsAtHand(
  { decision, set }: Pick<ProfileRuntime, 'decision' | 'set'>,
  run: RunContext,
  agent: SubContext,
): ReadonlyMap<ContentHash, string> {
  const { env } = decision;
  const profile = set.profiles.get(agent.meta.profile);
  if (profile === undefined) return new Map();
  // A decision that is never committed, over a copy: it must not affect the prompt remembered for the agent.
  const tx = new Transaction(run, run.at, { hash: env.hash, known: new Set() });
  const tools = env.toolsOf(profile, agent);
  tx.content(tools.offeredJson);
  buildSystemPrompt(new TurnContext(tx, env, { ...agent }), tools);
  return new Map(tx.contents.map(({ hash, text }) => [hash, text]));
}
