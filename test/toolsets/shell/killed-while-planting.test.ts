import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { whyNoSandbox } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
if (reason !== undefined) console.warn(`tests in a sandbox are skipped: ${reason}`);

describe.skipIf(reason !== undefined || process.platform !== 'linux')('F36: an engine that is killed while a command runs', () => {
  it('leaves nothing behind that the command planted; what was there, or was agreed to, stays', async () => {
    const child = spawn(process.execPath, ['--no-warnings', path.join(import.meta.dirname, 'planting-child.ts')]);
    let workspace = '';
    child.stdout.on('data', (chunk: Buffer) => (workspace += chunk.toString()));
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    try {
      expect(existsSync(path.join(workspace, 'ready'))).toBe(true);
      const there = (place: string): boolean => existsSync(path.join(workspace, place));
      await vi.waitFor(
        () => {
          expect(['sub/.git', 'new/.git', 'again/.zed'].filter(there)).toEqual([]);
          expect(there('.git')).toBe(false);
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(
        ['own/.vscode', 'own/.envrc', 'allowed/.vscode', 'agreed/.vscode/tasks.json'].filter((place) => !there(place)),
      ).toEqual([]);
      expect(readFileSync(path.join(workspace, 'own/.envrc'), 'utf8')).toBe('echo mine\n');
      expect(readdirSync(path.join(workspace, '.cadre/quarantine')).length).toBeGreaterThan(0);
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  }, 120_000);
});
