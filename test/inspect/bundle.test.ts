import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { createContentHash } from '../../src/engine/recovery/content-hash.ts';
import { exportRun } from '../../src/engine/recovery/export-run.ts';
import { factsOfRun } from '../../src/engine/recovery/facts-of-run.ts';
import { importRun } from '../../src/engine/recovery/imported-run.ts';
import { contentOf, type RunBundle, withoutSeed } from '../../src/inspect/bundle.ts';
import { readBundle } from '../../src/inspect/bundle/read-bundle.ts';
import type { ReadContent } from '../../src/inspect/read-content.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { simulate } from '../simulation/simulation.ts';
import { allViews } from '../support/all-views.ts';
import { richRun } from '../support/rich-journal.ts';

const hash = createContentHash();
const read = (bundle: unknown): RunBundle => readBundle(JSON.stringify(bundle), { hash, source: 'run.json' });
const whole = { at: 1_000, redact: false, env: {}, homes: [] };
const owner = '1@here#import';

interface Recorded {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
}

/** The run as a journal has it that it was imported into. */
async function imported(bundle: RunBundle): Promise<Recorded> {
  const journal = createMemoryJournal();
  const runId = await importRun(journal, bundle, { from: 'run.json', at: 2_000, hash, owner });
  return { events: await journal.read(runId), content: (key) => journal.content(key) };
}

async function roundTrip(run: Recorded): Promise<void> {
  const { bundle } = await exportRun(run, whole);
  const there = await imported(read(bundle));
  const again = await exportRun(there, whole);
  expect(JSON.stringify(again.bundle)).toBe(JSON.stringify(bundle));
  expect(again.bundle.events).toEqual(JSON.parse(JSON.stringify(run.events.map(withoutSeed))));
  const before = allViews({ ...run, profiles: await factsOfRun(run) });
  expect(allViews({ ...there, profiles: await factsOfRun(there) })).toEqual(before);
  expect(allViews({ ...bundle, content: contentOf(bundle) })).toEqual(before);
}

describe('a run that is exported and imported', () => {
  it('[A5.event-stream] is the same, in every view and record, and is exported the same', async () => {
    await roundTrip(await richRun({ result: { rows: ['a', 'b'], note: 'x'.repeat(50_000) } }));
  });

  it('also when it is the golden one, of three agents', async () => {
    const golden = readFileSync(path.join(import.meta.dirname, '..', 'golden', 'three-agents.jsonl'), 'utf8');
    const events = golden
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CadreEvent);
    await roundTrip({ events, content: () => undefined });
  });

  it('also when faults came in any order', async () => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const { journal, violations } = await simulate({ seed });
      expect(violations).toEqual([]);
      await roundTrip({ events: JSON.parse(JSON.stringify(journal)) as readonly CadreEvent[], content: () => undefined });
    }
  });

  it('brings along the texts it refers to, and no other', async () => {
    const run = await richRun();
    const { bundle } = await exportRun(run, whole);
    const there = Object.keys(bundle.contents);
    expect(there.length).toBeGreaterThan(3);
    expect(there.every((key) => run.content(key as never) === bundle.contents[key])).toBe(true);
    const more = { ...bundle, contents: { ...bundle.contents, [hash('a stowaway')]: 'a stowaway' } };
    expect(Object.keys(read(more).contents).sort()).toEqual(there.toSorted());
  });
});
