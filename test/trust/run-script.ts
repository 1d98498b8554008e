import { spawn } from 'node:child_process';
import path from 'node:path';
import { readText, root } from '../docs/read-markdown.ts';

/** How a script of package.json came out. */
export interface ScriptEnd {
  readonly ok: boolean;
  /** The last lines it printed. */
  readonly said: string;
}

/** Runs a script of package.json, and hands on what it prints last. */
export async function runScript(name: string, args: readonly string[] = [], lines = 1): Promise<ScriptEnd> {
  const { scripts } = JSON.parse(readText('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  if (scripts[name] === undefined) return { ok: false, said: `there is no script '${name}' in package.json` };
  const child = spawn('npm', ['run', '--silent', name, '--', ...args], {
    cwd: path.join(root),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const said = output.trimEnd().split('\n').slice(-lines).join(' · ');
  return { ok: code === 0, said: said.trim() };
}
