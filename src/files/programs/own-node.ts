import { keepProgram } from './find-program.ts';
import { followTrail } from './program-place.ts';

// Not state of a run: the Node that runs this process, as it was when this module was loaded.
const node = keep();

function keep(): string {
  const trail = followTrail(process.execPath);
  return trail === undefined ? process.execPath : keepProgram('node', trail).path;
}

/**
 * Path of the Node that runs this process. It may lie anywhere, even among the packages of a project, since this process runs from there
 * already; it must stay the same file, and no sandbox may write it (`ownPlaces`).
 */
export function ownNode(): string {
  return node;
}
