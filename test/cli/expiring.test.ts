import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatPending } from '../../src/cli/terminal/format-pending.ts';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { startForTest, temporaryFolder } from './cli-process.ts';

const program = path.join(import.meta.dirname, 'asking-process.ts');

describe('an approval that expires on a terminal', () => {
  it('takes its question back, and the run goes on to its report', async () => {
    const running = startForTest(['1s'], { cwd: await temporaryFolder(), holdInput: true }, program);
    const { code, out, err } = await running.finished;
    expect({ code, out }, err).toEqual({ code: 0, out: 'the report\n' });
    expect(err).toMatch(/expires in 1 s \(then denied\)\n.*Approve this call\?.*\nexpired: denied\n/s);
  });

  it('that is approved in time runs', async () => {
    const running = startForTest(['10m'], { cwd: await temporaryFolder(), holdInput: true }, program);
    await running.until('Approve this call?');
    running.child.stdin?.write('y\n');
    const { code, out, err } = await running.finished;
    expect({ code, out }, err).toEqual({ code: 0, out: 'the report\n' });
    expect(err).toMatch(/expires in \d+ min \d+ s/);
    expect(err).not.toContain('expired');
  });
});

describe('what waits for a person', () => {
  const request: PendingRequest = {
    id: 'c1',
    kind: 'approval',
    agentId: 'A_1',
    path: ['A_1'],
    turnId: 'A_1.t1',
    tool: 'pay',
    args: {},
    fingerprint: 'f',
    since: 0,
    expiresAt: 18_000,
    onExpire: 'deny',
  };

  it('shows how long there is to decide, and what then', () => {
    expect(formatPending([request], { now: 0, runId: 'run_1' })).toMatch(/expires in 18 s \(then denied\)\n.*approve run_1 c1/s);
    expect(formatPending([{ ...request, onExpire: 'allow' }], { now: 500 })).toContain('expires in 18 s (then allowed)');
  });

  it('says that it has expired, and offers no verdict any more', () => {
    const text = formatPending([request], { now: 18_000, runId: 'run_1' });
    expect(text).toMatch(/has expired: it is denied when the run is resumed\n.*resume run_1/s);
    expect(text).not.toContain('approve');
  });
});
