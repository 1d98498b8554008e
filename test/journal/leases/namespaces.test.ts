import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CadreError } from '../../../src/core/error.ts';
import type { Journal } from '../../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
import { sampleOwner, sampleRun } from '../../contracts/journal-samples.ts';
import { ContainedProcess, type Namespace, whyNoNamespaces } from '../../support/namespaces.ts';

const runId = sampleRun('run_1');
const heartbeatMs = 150;
const expiryMs = 3_000;
const script = path.join(import.meta.dirname, '..', 'lease-child.ts');
let file = '';
const children: ContainedProcess[] = [];
const journals: Journal[] = [];
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-namespaces-')), 'journal.db');
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const journal of journals.splice(0)) await journal.close();
  rmSync(path.dirname(file), { recursive: true });
});

function start(namespace: Namespace): ContainedProcess {
  const child = new ContainedProcess(namespace, script, [file, runId, String(heartbeatMs), String(expiryMs)]);
  children.push(child);
  return child;
}

function open(): Journal {
  const journal = createSqliteJournal(file);
  journals.push(journal);
  return journal;
}

/** Tries to take the run: milliseconds until the holder's state is known, 0 when it is alive, or `taken`. */
async function refusal(journal: Journal): Promise<number | 'taken'> {
  try {
    await journal.acquire(runId, sampleOwner('here'));
    return 'taken';
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== 'RUN_LOCKED') throw error;
    return Number(error.details['knownInMs'] ?? 0);
  }
}

/** Retries until the run is taken or the holder proves alive. */
async function decided(journal: Journal): Promise<0 | 'taken'> {
  for (;;) {
    const said = await refusal(journal);
    if (said === 0 || said === 'taken') return said;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(whyNoNamespaces !== undefined)(
  `F46: processes in namespaces of their own (${whyNoNamespaces ?? 'real ones'})`,
  () => {
    it('another host name on the same machine: alive is alive, and the run of a dead one is taken at once', async () => {
      const holder = start({ pid: false, host: 'another-host' });
      expect(await holder.line()).toMatch(/^held \d+@another-host#/);
      const journal = open();
      expect(await refusal(journal)).toBe(0);
      await holder.kill();
      expect((await journal.runs())[0]?.isAbandoned).toBe(true);
      expect(await refusal(journal)).toBe('taken');
    });

    it('process ids of its own, the host name of this one: a live holder keeps its run, and a dead one loses it without a person', async () => {
      const holder = start({ pid: true });
      expect(await holder.line()).toMatch(/^held 1@/);
      const journal = open();
      expect(await decided(journal)).toBe(0);
      expect((await journal.runs())[0]?.isAbandoned).toBeUndefined();
      expect(await holder.ask('still mine')).toBe('appended');
      await holder.kill();
      // The last heartbeat is still valid for a moment.
      await new Promise((resolve) => setTimeout(resolve, 3 * heartbeatMs));
      expect(await decided(journal)).toBe('taken');
    }, 30_000);

    it('a container that is started again, with the same process id and another host name, gets the run of its predecessor', async () => {
      const first = start({ pid: true, host: 'pod-a' });
      expect(await first.line()).toBe('held 1@pod-a#child');
      await first.kill();
      const journal = open();
      expect(await decided(journal)).toBe('taken');
      await journal.close();
      const second = start({ pid: true, host: 'pod-b' });
      expect(await second.line()).toBe('held 1@pod-b#child');
      expect(await second.ask('mine')).toBe('appended');
    }, 30_000);

    it('one that is stopped counts as gone after its expiry; when it goes on, what it writes is refused (I8)', async () => {
      const holder = start({ pid: true });
      await holder.line();
      holder.signal('SIGSTOP');
      expect(await decided(open())).toBe('taken');
      holder.signal('SIGCONT');
      expect(await holder.ask('zombie')).toBe('STORE_CONFLICT');
      expect(await open().read(runId)).toHaveLength(2);
    }, 30_000);
  },
);
