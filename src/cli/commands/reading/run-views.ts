import { board } from '../../../inspect/board.ts';
import { formatBoard } from '../../../inspect/format/format-board.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions, show } from '../../runs/show.ts';
import { diffTurns } from '../../../inspect/turn/diff-turns.ts';
import { formatDiff } from '../../../inspect/format/format-diff.ts';
import { formatHistory } from '../../../inspect/format/format-history.ts';
import { agentHistory } from '../../../inspect/history.ts';
import { agentNamed } from '../../../inspect/agent-named.ts';
import { cardsOfRun } from '../../../engine/requests/cards-of-run.ts';
import { formatPending } from '../../terminal/format-pending.ts';
import { conversation } from '../../../inspect/conversation.ts';
import { formatConversation, formatOverview } from '../../../inspect/format/format-overview.ts';
import { runOverview } from '../../../inspect/run-overview.ts';
import { formatTimeline } from '../../../inspect/format/format-timeline.ts';
import { timeline } from '../../../inspect/timeline/timeline.ts';
import { formatTree } from '../../../inspect/format/format-tree.ts';
import { tree } from '../../../inspect/tree.ts';
import { formatTurn } from '../../../inspect/format/turn/format-turn.ts';
import { openRecordedTurn } from '../../runs/recorded-turn.ts';

/** Shows the work modules of a run by status. */
export function boardCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const view = board(state);
    return { data: view, text: (format) => formatBoard(view, format) };
  });
}

/** Shows the differences between the prompts of two turns. */
export function diffCommand(
  run: string,
  { before, after }: { readonly before: string; readonly after: string },
  options: ReadingOptions,
): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const diff = diffTurns(await recorded.turn(before), await recorded.turn(after));
    return { data: diff, text: (format) => formatDiff(diff, format) };
  });
}

/** Shows what an agent and the agents it called did, as numbered events. */
export function historyCommand(run: string, agent: string | undefined, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const events = agentHistory(state, agentNamed(state, agent));
    return { data: events, text: (format) => formatHistory(events, format) };
  });
}

/** Shows the pending requests of a run and the commands that answer them. */
export function pendingCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async ({ state, events, content, workspace }) => {
    const cards = await cardsOfRun({ state, events, content, workspace });
    return {
      data: cards,
      text: (format) =>
        cards.length === 0
          ? 'Nothing waits for you.\n'
          : formatPending(cards, { ...format, now: Date.now(), runId: state.meta.runId, store: options.store }),
    };
  });
}

/** Shows an overview of a run and its conversation. */
export function showCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const overview = runOverview(state);
    const said = conversation(state);
    return {
      data: { ...overview, conversation: said },
      text: (format) => `${formatOverview(overview, format)}\n${formatConversation(said, format)}`,
    };
  });
}

/** Shows a run over time, one row per agent. */
export function timelineCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state, eventAt }) => {
    const view = timeline(state, { eventAt });
    return { data: view, text: (format) => formatTimeline(view, format) };
  });
}

/** Shows the agents of a run as a tree. */
export function treeCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const roots = tree(recorded.state, await recorded.profiles());
    return { data: roots, text: (format) => formatTree(roots, format) };
  });
}

/** Shows the full record of one turn. */
export async function turnCommand(run: string, turn: string, options: ReadingOptions): Promise<ExitCode> {
  using near = await openRecordedTurn(options.store, run, turn);
  if (near !== undefined) {
    const record = await near.run.turn(near.turnId);
    return show({ data: record, text: (format) => formatTurn(record, format) }, options);
  }
  return await showRun(run, options, async (recorded) => {
    const record = await recorded.turn(turn);
    return { data: record, text: (format) => formatTurn(record, format) };
  });
}
