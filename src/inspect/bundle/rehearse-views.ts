import type { CadreEvent } from '../../core/events/event.ts';
import type { TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { board } from '../board.ts';
import { conversation } from '../conversation.ts';
import { describeEvent } from '../../core/events/event.ts';
import { formatTurn } from '../format/turn/format-turn.ts';
import { fromPlainFacts, type PlainProfileFacts } from '../turn/profile-facts.ts';
import type { ReadContent } from '../read-content.ts';
import { timeline } from '../timeline/timeline.ts';
import { tree } from '../tree.ts';
import { turnList } from '../turn-list.ts';
import { toTurnRecord } from '../turn/turn-record.ts';

/**
 * Builds every view of a run once and discards it, to find faults before anything is stored: events from outside may each be valid,
 * yet contradict each other. For each agent, the prompt of the last turn includes the earlier ones.
 */
export function rehearseViews(
  run: RunContext,
  events: readonly CadreEvent[],
  content: ReadContent,
  plain: Readonly<Record<string, PlainProfileFacts>>,
): void {
  for (const view of [board, conversation, timeline, tree, turnList]) view(run);
  for (const event of events) describeEvent(event);
  const profiles = new Map(Object.entries(plain).map(([name, facts]) => [name, fromPlainFacts(facts)]));
  const last = new Map<string, TurnId>();
  for (const turn of run.turns.values()) last.set(turn.agentId, turn.turnId);
  for (const turn of run.turns.values()) {
    const record = toTurnRecord(run, turn, content, profiles);
    if (last.get(turn.agentId) === turn.turnId) formatTurn(record);
    else void [record.systemPrompt, record.tools];
  }
}
