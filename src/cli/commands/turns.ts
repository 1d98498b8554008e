import { CadreError } from '../../core/error.ts';
import { formatTurnList } from '../../inspector/format/format-turn-list.ts';
import { turnList } from '../../inspector/turn-list.ts';
import type { ExitCode } from '../exit-code.ts';
import { showRun, type ReadingOptions } from '../show.ts';

/** Lists the turns of a run, of one agent with `--agent`. */
export function turnsCommand(run: string, options: ReadingOptions & { readonly agent?: string }): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const { agent } = options;
    const names = [...state.agents.keys()].map(String);
    if (agent !== undefined && !names.includes(agent))
      throw new CadreError('AGENT_UNKNOWN', `run ${state.meta.runId} has no agent '${agent}'; it has ${names.join(', ')}`);
    const rows = turnList(state, agent === undefined ? {} : { agentId: agent });
    return { data: rows, text: (format) => formatTurnList(rows, format) };
  });
}
