import { execFileSync } from 'node:child_process';
import { WorkspaceGuard } from '../../../src/toolsets/sandbox/workspace-guard.ts';
import { WorkspaceScan } from '../../../src/toolsets/sandbox/workspace-scan.ts';
import { useGitLikeAUser } from '../../files/git-traps.ts';

/*
 * A process of a user for whom rights count (root may list everything): looks at a workspace, runs a hostile command in it without a
 * sandbox, and uses git there once the guard is done. Arguments: the workspace, the command, the folder git is used in. Prints the notes.
 */
const [root = '', command = '', used = ''] = process.argv.slice(2);
const scan = new WorkspaceScan(root);
const before = await scan.run();
execFileSync('bash', ['-c', command], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
const guard = new WorkspaceGuard({ root, scan, before, allows: () => false, held: new Set(['.cadre']) });
console.log(JSON.stringify(await guard.finish()));
useGitLikeAUser(`${root}/${used}`, []);
