import { conversation } from '../../../inspect/conversation.ts';
import { formatConversation, formatOverview } from '../../../inspect/format/format-overview.ts';
import { runOverview } from '../../../inspect/run-overview.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

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
