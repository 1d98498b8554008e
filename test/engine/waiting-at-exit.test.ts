import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

function ended(...args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const script = path.join(import.meta.dirname, 'exit-child.ts');
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
}

it('F27: a process that ends while a run waits for a person names the run, the call and how to answer', () => {
  const { status, stderr } = ended();
  expect(status).toBe(13);
  const lines = stderr.split('\n').filter((line) => line.startsWith('cadre:'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/run invoice waits for approval of call (\S+) of 'pay' by agent \S+; decide with run\.approve\("\1"\)/);
  expect(lines[0]).toContain('engine.resume("invoice")');
});

it('F27: a process that closes its engine before it ends says nothing', () => {
  const { status, stderr } = ended('close');
  expect([status, stderr]).toEqual([0, '']);
});

it('a process that awaits the end of a run which waits for a message names the run, and what ends it', () => {
  const { status, stderr } = ended('idle');
  expect(status).toBe(13);
  const lines = stderr.split('\n').filter((line) => line.startsWith('cadre:'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/run invoice waits for a message .*run\.send\(…\).*run\.settled\(\)/);
});
