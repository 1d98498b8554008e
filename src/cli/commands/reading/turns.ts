import { CadreError } from '../../../core/error.ts';
import { filterTurns, turnTypes } from '../../../inspect/filter-turns.ts';
import { formatTurnList } from '../../../inspect/format/format-turn-list.ts';
import { turnList, toTurnRow, type TurnRow } from '../../../inspect/turn-list.ts';
import type { ExitCode } from '../../exit-code.ts';
import { findRunIn } from '../../runs/find-run.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, showRun, type ReadingOptions } from '../../runs/show.ts';
import { thisCommand } from '../../options/this-command.ts';
import type { CadreEvent } from '../../../core/events/event.ts';
import type { Journal, RunSummary } from '../../../core/events/journal.ts';
import { turnsBegunIn } from '../../../inspect/newest-turns.ts';

/** Maximum number of turns listed by default. */
const listed = 200;

/** Options of `turns`. */
export interface TurnsOptions extends ReadingOptions {
  readonly agent?: string;
  readonly type?: string;
  readonly all?: boolean;
}

/** Lists the turns of a run: the newest 200 by default, all with `--all`, `--json`, `--agent` or `--type`. */
export async function turnsCommand(run: string, options: TurnsOptions): Promise<ExitCode> {
  const { agent, type, all, json } = options;
  const isWhole = agent !== undefined || type !== undefined || all === true || json === true;
  return isWhole ? await listAll(run, options) : await listNewest(run, options);
}

async function listNewest(reference: string, options: TurnsOptions): Promise<ExitCode> {
  const journal = await openRecords(options.store);
  try {
    const summary = await findRunIn(journal, reference);
    const rows = await newestTurns(journal, summary, listed);
    const older = Math.max(0, summary.turns - rows.length);
    const hint =
      older === 0
        ? ''
        : `… ${older} older turns; list all with: ${thisCommand(['turns', summary.runId, '--all'], options.store)}\n`;
    return show({ data: rows, text: (format) => `${hint}${formatTurnList(rows, format)}` }, options);
  } finally {
    await journal.close();
  }
}

function listAll(run: string, options: TurnsOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const { agent } = options;
    const names = [...state.agents.keys()].map(String);
    if (agent !== undefined && !names.includes(agent))
      throw new CadreError('AGENT_UNKNOWN', `run ${state.meta.runId} has no agent '${agent}'; it has ${names.join(', ')}`);
    const type = typeOf(options.type);
    const rows = turnList(
      state,
      filterTurns(state, { ...(agent === undefined ? {} : { agentId: agent }), ...(type === undefined ? {} : { type }) }),
    );
    return { data: rows, text: (format) => formatTurnList(rows, format) };
  });
}

function typeOf(word: string | undefined): (typeof turnTypes)[number] | undefined {
  const type = turnTypes.find((known) => known === word);
  if (word !== undefined && type === undefined)
    throw new CadreError('OPTION_INVALID', `--type takes ${turnTypes.join(', ')}, not '${word}'`);
  return type;
}

/** Typical number of events per turn; sizes the first read. */
const eventsPerTurn = 10;

/**
 * Returns the newest turns of a run in the order they began. Reads the journal from its end, so that the cost does not grow with the run.
 * Rows have no profile: it is recorded where the agent started.
 */
async function newestTurns(
  journal: Journal,
  { runId, lastSeq, costUnknown }: RunSummary,
  count: number,
): Promise<readonly TurnRow[]> {
  let events: readonly CadreEvent[] = [];
  let from = lastSeq;
  for (let size = count * eventsPerTurn; from > 0; size *= 2) {
    const after = Math.max(0, from - size);
    events = [...(await journal.read(runId, { after, limit: from - after })), ...events];
    from = after;
    if (events.filter(({ type }) => type === 'turn.start').length >= count) break;
  }
  return turnsBegunIn(events)
    .slice(-count)
    .map((turn) => toTurnRow({ agents: new Map(), usage: { costUnknown } }, turn));
}
