import { formatTree } from '../../inspector/format/format-tree.ts';
import { tree } from '../../inspector/tree.ts';
import type { ExitCode } from '../exit-code.ts';
import { showRun, type ReadingOptions } from '../show.ts';

/** Shows the agents of a run as a tree. */
export function treeCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const roots = tree(recorded.state, await recorded.profiles());
    return { data: roots, text: (format) => formatTree(roots, format) };
  });
}
