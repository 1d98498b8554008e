import { pendingOf } from '../../../core/state/pending.ts';
import type { ExitCode } from '../../exit-code.ts';
import { formatPending } from '../../terminal/format-pending.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows the pending requests of a run and the commands that answer them. */
export function pendingCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const requests = pendingOf(state);
    return {
      data: requests,
      text: (format) =>
        requests.length === 0
          ? 'Nothing waits for you.\n'
          : formatPending(requests, { ...format, now: Date.now(), runId: state.meta.runId, store: options.store }),
    };
  });
}
