import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { ContentHash, RunId } from '../../src/core/ids.ts';
import { commitSum } from '../../src/journal/sqlite/sqlite-schema.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { plainState } from '../support/verify-run.ts';
import { repeats } from '../support/repeats.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-corruption-'));
  file = join(folder, 'journal.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns a function for numbers below `limit`, the same in every test run. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

/** Records a journal of two short runs with tools, and closes it so that everything is in one file. */
async function record(): Promise<{
  readonly runs: readonly RunId[];
  readonly bytes: Buffer;
  readonly texts: readonly ContentHash[];
}> {
  const runs: RunId[] = [];
  for (const name of ['one', 'two']) {
    const replies = [
      { toolCalls: [{ name: 't', args: { of: name } }] },
      { toolCalls: [{ name: 't', args: { of: 'more' } }] },
      { text: `done with ${name}` },
    ];
    const ids = { runId: () => `run_${name}` as RunId, itemId: () => `i_${name}` as never };
    const team = await testEngine({
      profile: waitsForUser + allow('t'),
      tools: [tool('t', ({ of }) => `result of ${String(of)}`)],
      replies,
      store: createSqliteJournal(file),
      ids,
    });
    const run = await team.launch(`do ${name}`);
    await run.settled();
    runs.push(run.id);
    await team.engine.close();
    await team.journal.close();
  }
  const database = new DatabaseSync(file);
  const texts = database
    .prepare('SELECT hash FROM contents')
    .all()
    .map((row) => String(row['hash']) as ContentHash);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return { runs, bytes: readFileSync(file), texts };
}

/** Reads every run and text separately: a value, or the code of the typed error. Throws on any other error. */
function readAll(runs: readonly RunId[], texts: readonly ContentHash[]): readonly string[] {
  const attempt = (read: () => unknown): string => {
    try {
      return JSON.stringify(read() ?? null);
    } catch (error) {
      if (error instanceof CadreError) return error.code;
      throw error;
    }
  };
  let journal: ReturnType<typeof createSqliteJournal>;
  try {
    journal = createSqliteJournal(file, { readOnly: true });
  } catch (error) {
    if (error instanceof CadreError) return [...runs, ...texts].map(() => error.code);
    throw error;
  }
  try {
    return [
      ...runs.map((run) => attempt(() => plainState(foldEvents(journal.read(run) as never)))),
      ...texts.map((text) => attempt(() => journal.content(text))),
    ];
  } finally {
    void journal.close();
  }
}

const typed: ReadonlySet<string> = new Set(['STORE_CORRUPT', 'STORE_NEWER', 'STORE_FAILED', 'RUN_UNKNOWN']);

/** Returns the possible states of runs whose last commits are missing, as after a power cut. */
function shorter(runs: readonly RunId[]): ReadonlySet<string> {
  const journal = createSqliteJournal(file, { readOnly: true });
  const states = new Set<string>();
  for (const run of runs) {
    const events = journal.read(run) as readonly CadreEvent[];
    for (let end = 1; end < events.length; end += 1) states.add(JSON.stringify(plainState(foldEvents(events.slice(0, end)))));
  }
  void journal.close();
  return states;
}

/** Returns the states of runs without their last commit: a changed byte in its key can assign it to another run. */
function withoutLastCommit(runs: readonly RunId[]): ReadonlySet<string> {
  const database = new DatabaseSync(file, { readOnly: true });
  const ends = database.prepare('SELECT last_seq FROM commits WHERE key >> 31 = ? ORDER BY key DESC LIMIT 1 OFFSET 1');
  const lengths = runs.map((_, index) => Number(ends.get(index + 1)?.['last_seq']));
  database.close();
  const journal = createSqliteJournal(file, { readOnly: true });
  const states = runs.map((run, index) => {
    const events = journal.read(run, { limit: lengths[index] ?? 0 }) as readonly CadreEvent[];
    return JSON.stringify(plainState(foldEvents(events)));
  });
  void journal.close();
  return new Set(states);
}

/** Restores the file, damages it, and returns the differences that no error reported. */
function silentDifferences(
  journal: Awaited<ReturnType<typeof record>>,
  whole: readonly string[],
  change: () => void,
  also: ReadonlySet<string> = new Set(),
): readonly string[] {
  for (const side of ['-wal', '-shm', '-journal']) rmSync(`${file}${side}`, { force: true });
  writeFileSync(file, journal.bytes);
  change();
  return readAll(journal.runs, journal.texts).flatMap((now, index) =>
    // The reader of a missing text reports it.
    now === whole[index] || typed.has(now) || also.has(now) || (index >= journal.runs.length && now === 'null')
      ? []
      : [`${index < journal.runs.length ? 'run' : 'text'} ${index}: ${now.slice(0, 80)}`],
  );
}

it('K12: events of a later version are refused as such, with their row, and never skipped; other runs stay readable', async () => {
  const { runs } = await record();
  const database = new DatabaseSync(file);
  for (const [body, said] of [
    ['["t!"]', /row 2147483649 \(run run_one from seq 1\): a newer version of Cadre wrote this.*"t!" is not an event code/],
    ['["r<",{".profile":"x","zz":1}]', /"zz" is not a field that this version knows/],
    ['[".model.dream"]', /event 1 is of the type 'model.dream', which this version of Cadre does not know/],
  ] as const) {
    const key = 2 ** 31 + 1;
    database.prepare('DELETE FROM commits WHERE key >> 31 = 1').run();
    database
      .prepare('INSERT INTO commits VALUES (?, 1, 5, 0, 0, 0, 0, 0, 0, ?, ?)')
      .run(key, commitSum({ key, lastSeq: 1, at: 5, body }), body);
    const journal = createSqliteJournal(file, { readOnly: true });
    const read = (): unknown =>
      foldEvents([{ ...first, type: 'run.start' } as CadreEvent, ...(journal.read(runs[0] ?? first.runId) as CadreEvent[])]);
    expect(read, body).toThrow(
      expect.objectContaining({ code: 'STORE_NEWER', message: expect.stringMatching(said) as string }) as Error,
    );
    expect(foldEvents(journal.read(runs[1] ?? first.runId) as CadreEvent[])?.status).toBe('awaiting');
    await journal.close();
  }
  database.close();
});

const first = { runId: 'run_one' as RunId, seq: 1, at: 1, profile: '', title: '', input: null, limits: {}, engineVersion: '0' };

describe('N10: a damaged journal gives the same or a typed error, never something else', () => {
  it('when bytes are changed or zeroed, or the file is cut, hundreds of times', async () => {
    const journal = await record();
    const whole = readAll(journal.runs, journal.texts);
    expect(whole.filter((text) => typed.has(text))).toEqual([]);
    const lastGone = withoutLastCommit(journal.runs);
    const random = dice(1);
    const found: string[] = [];
    for (let round = 0; round < repeats(1_600); round += 1) {
      const bytes = Buffer.from(journal.bytes);
      const place = random(bytes.length);
      const kind = round % 8;
      let said = '';
      const change = (): void => {
        if (kind < 4) {
          bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
          said = `bit flipped in byte ${place}`;
        } else if (kind < 6) {
          bytes[place] = random(256);
          said = `byte ${place} set`;
        } else if (kind === 6) {
          const end = place + 1 + random(64);
          bytes.fill(0, place, end);
          said = `bytes ${place} to ${end} zeroed`;
        } else said = `cut at ${place}`;
        writeFileSync(file, kind === 7 ? bytes.subarray(0, place) : bytes);
      };
      found.push(...silentDifferences(journal, whole, change, lastGone).map((what) => `${said}: ${what}`));
    }
    expect(found).toEqual([]);
  }, 120_000);

  it('when rows are edited, removed or moved; only commits gone from the end whole cannot be missed', async () => {
    const journal = await record();
    const whole = readAll(journal.runs, journal.texts);
    const prefixes = shorter(journal.runs);
    const random = dice(2);
    const reader = new DatabaseSync(file, { readOnly: true });
    const keys = reader.prepare('SELECT key, body FROM commits ORDER BY key').all();
    reader.close();
    const found: string[] = [];
    for (let round = 0; round < repeats(400); round += 1) {
      const row = keys[random(keys.length)] ?? {};
      const other = keys[random(keys.length)] ?? {};
      const key = Number(row['key']);
      const body = String(row['body']);
      const at = random(body.length);
      const edits: readonly (readonly [string, ...(string | number)[]])[] = [
        ['UPDATE commits SET body = ? WHERE key = ?', body.slice(0, at) + body.slice(at + 1), key],
        ['UPDATE commits SET body = ? WHERE key = ?', `${body.slice(0, at)}7${body.slice(at)}`, key],
        ['UPDATE commits SET body = ? WHERE key = ?', String(other['body']), key],
        ['UPDATE commits SET last_seq = last_seq + ? WHERE key = ?', 1 + random(3), key],
        ['UPDATE commits SET at = at + ? WHERE key = ?', 1 + random(3), key],
        ['UPDATE commits SET sum = sum + ? WHERE key = ?', 1 + random(3), key],
        ['UPDATE OR REPLACE commits SET key = key + ? WHERE key = ?', 1 + random(5), key],
        ['UPDATE OR REPLACE commits SET key = ? WHERE key = ?', Number(other['key']), key],
        ['DELETE FROM commits WHERE key = ?', key],
        ['UPDATE contents SET text = text || ? WHERE rowid = ?', 'x', 1 + random(journal.texts.length)],
        ['DELETE FROM contents WHERE rowid = ?', 1 + random(journal.texts.length)],
        ['UPDATE runs SET run = run + ? WHERE run = 2', 1 + random(3)],
        ["UPDATE runs SET run_id = 'run_' || ? WHERE run = 2", random(9)],
      ];
      const [sql = '', ...values] = edits[round % edits.length] ?? [];
      const takesAway = /^DELETE FROM commits|SET key/.test(sql);
      const change = (): void => {
        const database = new DatabaseSync(file);
        database.prepare(sql).run(...values);
        database.close();
      };
      found.push(
        ...silentDifferences(journal, whole, change, takesAway ? prefixes : undefined).map(
          (what) => `${sql} ${values.join(' ').slice(0, 60)}: ${what}`,
        ),
      );
    }
    expect(found).toEqual([]);
  }, 120_000);
});

describe('a journal file with parts of its own', () => {
  it.each([
    ['trigger', "CREATE TRIGGER t AFTER INSERT ON commits BEGIN UPDATE runs SET title = 'mine'; END"],
    ['view', 'CREATE VIEW v AS SELECT * FROM commits'],
    [
      'table with extra rules',
      'DROP TABLE seals; CREATE TABLE seals (key INTEGER PRIMARY KEY ON CONFLICT REPLACE, seal BLOB NOT NULL)',
    ],
    ['table with extra rules', 'CREATE TABLE x (run_id TEXT REFERENCES runs (run_id) ON DELETE CASCADE)'],
  ])('one with a %s is refused, for writing and for reading, and nothing is written', async (what, sql) => {
    await record();
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    const before = readFileSync(file);
    for (const options of [{}, { readOnly: true }])
      expect(() => createSqliteJournal(file, options)).toThrow(
        expect.objectContaining({
          code: 'STORE_CORRUPT',
          message: expect.stringContaining(`the file has a ${what}, which no journal has`),
        }),
      );
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
