import { CadreError } from '../../core/error.ts';
import { formatTurnList } from '../../inspector/format/format-turn-list.ts';
import { filterTurns, turnTypes } from '../../inspector/filter-turns.ts';
import { turnList } from '../../inspector/turn-list.ts';
import type { ExitCode } from '../exit-code.ts';
import { showRun, type ReadingOptions } from '../show.ts';

/** Lists the turns of a run, of one agent with `--agent`, of other types than those of agents with `--type`. */
export function turnsCommand(
  run: string,
  options: ReadingOptions & { readonly agent?: string; readonly type?: string },
): Promise<ExitCode> {
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
