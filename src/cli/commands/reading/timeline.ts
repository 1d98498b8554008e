import { formatTimeline } from '../../../inspect/format/format-timeline.ts';
import { timeline } from '../../../inspect/timeline/timeline.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows a run over time, one row per agent. */
export function timelineCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state, eventAt }) => {
    const view = timeline(state, { eventAt });
    return { data: view, text: (format) => formatTimeline(view, format) };
  });
}
