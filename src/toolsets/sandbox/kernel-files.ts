import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { blockedSandbox } from './sandbox-unavailable.ts';

/** Where the command line of the package has mounted `/proc`, and begins the command. */
const afterProc = ' --proc /proc --unsetenv SRT_ALLOW_NESTED_USERNS -- ';

/**
 * Makes the settings of the kernel read-only in the command line of a sandbox. A command of the root user owns the files in `/proc` also
 * inside: through `/proc/sys/kernel/core_pattern` it could name a program that the kernel starts outside. For other users the kernel
 * refuses such writes.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` when the command line is not as expected
 */
export function closeKernelFiles(line: string): string {
  if (process.geteuid?.() !== 0) return line;
  const [before, after, ...more] = line.split(afterProc);
  if (before === undefined || after === undefined || more.length > 0)
    throw blockedSandbox('its package mounts /proc in another way, in which root could change settings of the kernel');
  const closed = kernelFiles().map((place) => ` --ro-bind ${place} ${place}`);
  return `${before} --proc /proc${closed.join('')}${afterProc.replace(' --proc /proc', '')}${after}`;
}

/** Returns the folders of `/proc` that belong to no process, and the files beside them that their owner may write. */
function kernelFiles(): readonly string[] {
  return readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => /^[\w-]*[A-Za-z][\w-]*$/.test(entry.name) && (entry.isDirectory() || isWritable(entry.name)))
    .map(({ name }) => path.join('/proc', name));
}

function isWritable(name: string): boolean {
  const stats = lstatSync(path.join('/proc', name), { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o222) !== 0;
}
