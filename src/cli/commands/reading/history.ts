import { formatHistory } from '../../../inspect/format/format-history.ts';
import { agentHistory } from '../../../inspect/history.ts';
import { agentNamed } from '../../../inspect/agent-named.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows what an agent and the agents it called did, as numbered events. */
export function historyCommand(run: string, agent: string | undefined, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const events = agentHistory(state, agentNamed(state, agent));
    return { data: events, text: (format) => formatHistory(events, format) };
  });
}
