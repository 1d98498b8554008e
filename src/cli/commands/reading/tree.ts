import { formatTree } from '../../../inspect/format/format-tree.ts';
import { tree } from '../../../inspect/tree.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows the agents of a run as a tree. */
export function treeCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const roots = tree(recorded.state, await recorded.profiles());
    return { data: roots, text: (format) => formatTree(roots, format) };
  });
}
