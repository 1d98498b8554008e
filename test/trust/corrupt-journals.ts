import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CadreError } from '../../src/core/error.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { seededRandom, type SeededRandom } from '../faults/seeded-random.ts';
import { richJournal } from '../support/rich-journal.ts';
import { plainState } from '../support/verify-run.ts';

/** What reading spoilt journals came to. */
export interface Corruption {
  readonly journals: number;
  /** Read as if nothing had happened: what was spoilt holds nothing. */
  readonly same: number;
  /** Refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Another state than the one that was written, or an error without a code. */
  readonly wrong: readonly string[];
}

/** Spoils a whole journal file in so many ways, always the same for one seed, and reads each with its fold. */
export async function corruptJournals(count: number, seed: number): Promise<Corruption> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-corrupt-'));
  try {
    const original = path.join(folder, 'original.db');
    const events = await richJournal();
    const runId = events[0]?.runId;
    if (runId === undefined) throw new Error('the journal is empty');
    const journal = createSqliteJournal(original);
    const lease = await journal.acquire(runId, `${process.pid}@here#corrupt`);
    for (const event of events)
      await journal.append(lease, { runId, expectedSeq: event.seq - 1, events: [event], contents: [], sync: false });
    await journal.close();
    const whole = await readAnyhow(original, runId);
    const bytes = readFileSync(original);
    const file = path.join(folder, 'spoilt.db');
    let same = 0;
    const refused: Record<string, number> = {};
    const wrong: string[] = [];
    for (let index = 0; index < count; index++) {
      copyFileSync(original, file);
      writeFileSync(file, spoil(bytes, seededRandom(seed + index)));
      const read = await readAnyhow(file, runId);
      if (read === whole) same++;
      else if (/^(STORE_[A-Z]+|RUN_UNKNOWN)$/.test(read)) refused[read] = (refused[read] ?? 0) + 1;
      else wrong.push(`seed ${seed + index}: ${read.slice(0, 120)}`);
      for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
    }
    return { journals: count, same, refused, wrong };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readAnyhow(file: string, runId: Parameters<ReturnType<typeof createSqliteJournal>['read']>[0]): Promise<string> {
  try {
    const journal = createSqliteJournal(file, { readOnly: true });
    try {
      return JSON.stringify(plainState(foldEvents(await journal.read(runId))));
    } finally {
      await journal.close();
    }
  } catch (thrown) {
    return thrown instanceof CadreError ? thrown.code : `threw ${String(thrown)}`;
  }
}

/** One way to spoil a file: bits flipped, a stretch overwritten or moved, the end cut off. */
function spoil(bytes: Buffer, random: SeededRandom): Buffer {
  const spoilt = Buffer.from(bytes);
  const place = random.below(bytes.length);
  const length = 1 + random.below(64);
  switch (random.below(5)) {
    case 0:
      spoilt[place] = (spoilt[place] ?? 0) ^ (1 << random.below(8));
      return spoilt;
    case 1:
      return spoilt.subarray(0, place);
    case 2:
      spoilt.fill(0, place, Math.min(place + length * 16, bytes.length));
      return spoilt;
    case 3:
      bytes.copy(spoilt, place, random.below(bytes.length), bytes.length);
      return spoilt;
    default:
      for (let index = 0; index < length; index++) spoilt[Math.min(place + index, bytes.length - 1)] = random.below(256);
      return spoilt;
  }
}
