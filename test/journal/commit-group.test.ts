import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { Commit, Journal, Lease } from '../../src/core/events/journal.ts';
import type { RunId } from '../../src/core/ids.ts';
import { CommitGroup, type LeasedCommit, type Refusal } from '../../src/journal/sqlite/commit-group.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-group-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const note = (runId: RunId, seq: number): CadreEvent =>
  ({ type: 'note.add', runId, seq, at: 1, level: 'info', code: 'TEST', message: `note ${seq}` }) as CadreEvent;
const commitOf = (runId: RunId, expectedSeq: number, sync = false): Commit => ({
  runId,
  expectedSeq,
  events: [note(runId, expectedSeq + 1)],
  contents: [],
  sync,
});
const runIds = ['run_a', 'run_b', 'run_c', 'run_d'] as RunId[];

async function openedRuns(name: string): Promise<{ readonly journal: Journal; readonly leases: readonly Lease[] }> {
  const journal = createSqliteJournal(path.join(folder, name));
  const leases: Lease[] = [];
  for (const runId of runIds) {
    const lease = await journal.acquire(runId, '1@here#me');
    await journal.append(lease, commitOf(runId, 0));
    leases.push(lease);
  }
  return { journal, leases };
}

/** Appends after the first commit of each run, all in one turn of the event loop. */
function appendAll(journal: Journal, leases: readonly Lease[], seqs: readonly number[]): Promise<PromiseSettledResult<void>[]> {
  return Promise.allSettled(
    leases.map((lease, place) => Promise.try(() => journal.append(lease, commitOf(lease.runId, seqs[place] ?? 1)))),
  );
}

const outcomes = (settled: readonly PromiseSettledResult<void>[]): readonly string[] =>
  settled.map((each) => (each.status === 'fulfilled' ? 'written' : (each.reason as { readonly code: string }).code));

describe('commits of many runs in one turn of the event loop', () => {
  it('are refused each on its own: a stale one keeps no other from being written', async () => {
    const { journal, leases } = await openedRuns('refused.db');
    const settled = await appendAll(journal, leases, [1, 1, 7, 1]);
    expect(outcomes(settled)).toEqual(['written', 'written', 'STORE_CONFLICT', 'written']);
    expect(String((settled[2] as PromiseRejectedResult).reason)).toContain('run_c');
    for (const runId of runIds) expect(await journal.read(runId)).toHaveLength(runId === 'run_c' ? 1 : 2);
    // The refused run goes on where its journal ends.
    await journal.append(leases[2] as Lease, commitOf(runIds[2] as RunId, 1));
    expect(await journal.read(runIds[2] as RunId)).toHaveLength(2);
    await journal.close();
  });

  it('are fenced each on its own: one whose lease another holder took is refused', async () => {
    const { journal, leases } = await openedRuns('fenced.db');
    const other = createSqliteJournal(path.join(folder, 'fenced.db'), { takeOver: true });
    await other.acquire(runIds[1] as RunId, '2@there#another');
    expect(outcomes(await appendAll(journal, leases, [1, 1, 1, 1]))).toEqual(['written', 'STORE_CONFLICT', 'written', 'written']);
    await journal.close();
    await other.close();
  });

  it('that wait are written when the journal closes', async () => {
    const { journal, leases } = await openedRuns('closed.db');
    const settled = appendAll(journal, leases, [1, 1, 1, 1]);
    await journal.close();
    expect(outcomes(await settled)).toEqual(['written', 'written', 'written', 'written']);
    const again = createSqliteJournal(path.join(folder, 'closed.db'), { readOnly: true });
    for (const runId of runIds) expect(await again.read(runId)).toHaveLength(2);
    await again.close();
  });
});

describe('CommitGroup', () => {
  const leased = (runId: string, seq = 1): LeasedCommit => {
    const commit = commitOf(runId as RunId, seq);
    return { lease: { runId: commit.runId, owner: 'me', epoch: 1 }, commit };
  };

  function recorded(together?: () => readonly Refusal[]) {
    const written: string[] = [];
    const group = new CommitGroup({
      alone: ({ commit }) => void written.push(`${commit.runId} after ${commit.expectedSeq}`),
      together: (commits) => {
        written.push(commits.map(({ commit }) => commit.runId).join(' + '));
        return together?.() ?? [];
      },
    });
    return { group, written };
  }

  it('writes the run that comes first at once, and all others in one transaction at the end of the turn', async () => {
    const { group, written } = recorded();
    expect(group.append(leased('a', 1))).toBeUndefined();
    expect(group.append(leased('a', 2))).toBeUndefined();
    const others = [group.append(leased('b')), group.append(leased('c'))];
    expect(group.append(leased('a', 3))).toBeUndefined();
    expect(written).toEqual(['a after 1', 'a after 2', 'a after 3']);
    await Promise.all(others);
    expect(written.slice(3)).toEqual(['b + c']);
    // In the next turn another run may come first.
    expect(group.append(leased('c', 2))).toBeUndefined();
  });

  it('writes each alone after a transaction that failed as a whole', async () => {
    const { group, written } = recorded(() => {
      throw new Error('disk full');
    });
    void group.append(leased('a'));
    await Promise.all([group.append(leased('b')), group.append(leased('c'))]);
    expect(written).toEqual(['a after 1', 'b + c', 'b after 1', 'c after 1']);
  });

  it('keeps two commits of one run in order, in two transactions', async () => {
    const { group, written } = recorded();
    void group.append(leased('a'));
    await Promise.all([group.append(leased('b', 1)), group.append(leased('c')), group.append(leased('b', 2))]);
    expect(written).toEqual(['a after 1', 'b + c', 'b after 2']);
  });
});
