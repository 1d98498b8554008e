import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// What examples and scripts of ours start, besides what makes a sandbox.
const programs = ['/bin/bash', '/bin/sh', '/usr/bin/env', '/usr/bin/python3', '/usr/bin/git', process.execPath];

let folder: string | undefined;

/** A PATH as on a machine on which bubblewrap, socat and ripgrep were never installed. */
export function pathWithoutSandbox(): string {
  if (folder === undefined) {
    folder = mkdtempSync(path.join(tmpdir(), 'cadre-path-'));
    for (const program of programs) symlinkSync(program, path.join(folder, path.basename(program)));
  }
  return folder;
}
