import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { workspaceToolset } from '../../../src/toolsets/workspace/workspace-toolset.ts';
import { toolsetUnderTest } from '../../tools/toolset-under-test.ts';

// A process that is killed at the moment at which its command has planted something: says its workspace, waits for that, and kills itself.
const shell = toolsetUnderTest(shellToolset, { allow_writes: ['allowed/.vscode'] });
const { workspace } = shell;
const at = (...names: readonly string[]): string => path.join(workspace, ...names);
mkdirSync(at('own/.vscode'), { recursive: true });
writeFileSync(at('own/.envrc'), 'echo mine\n');
process.stdout.write(workspace);
await shell.run('run_command', {
  command:
    'while [ ! -e go ]; do sleep 0.05; done; mkdir -p allowed/.vscode; git init -q new; mkdir -p again/.zed; git init -q sub; touch ready; sleep 600',
  background: true,
});
const files = toolsetUnderTest(workspaceToolset, { allow_writes: ['agreed/.vscode'] });
await files.run('write_file', { path: 'agreed/.vscode/tasks.json', content: '{}' }, { ...files.context, workspace });
writeFileSync(at('go'), '');
setInterval(() => {
  if (existsSync(at('ready'))) process.kill(process.pid, 'SIGKILL');
}, 1);
