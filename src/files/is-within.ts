import path from 'node:path';

/** True when a path is a folder or lies below it. Both are absolute; links count as they are spelled. */
export function isWithin(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
