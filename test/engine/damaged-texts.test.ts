import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ids } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { contentSum } from '../../src/journal/sqlite/sqlite-schema.ts';
import { addressOf } from '../../src/journal/codec/text-address.ts';
import { countingIds } from '../../src/testing/index.ts';
import { breathe, testEngine, type TestEngine, type TestEngineOptions, waitsForUser } from '../support/test-engine.ts';

let file = '';
const opened: { readonly team: TestEngine; readonly store: Journal }[] = [];
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-texts-')), 'journal.db');
});
afterEach(async () => {
  for (const { team, store } of opened.splice(0)) {
    await team.engine.close();
    await store.close();
  }
  rmSync(path.dirname(file), { recursive: true });
});

const instructions = 'You answer questions about tea.';
const profile = `instructions: ${instructions}\n${waitsForUser}`;

async function open(name: string, options: TestEngineOptions): Promise<TestEngine> {
  const ids = countingIds();
  const named: Ids = {
    runId: () => `${name}_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${name}_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
  const store = createSqliteJournal(file);
  const team = await testEngine({ profile, ...options, store, ids: named });
  opened.push({ team, store });
  return team;
}

/** Changes a stored text: on the disk, or by somebody who corrects the checksum. */
function damage(text: string, how: 'a byte' | 'with its checksum' | 'is gone'): void {
  const database = new DatabaseSync(file);
  const other = text.replace('tea', 'war');
  const changed =
    how === 'is gone'
      ? database.prepare('DELETE FROM contents WHERE text = ?').run(text)
      : how === 'a byte'
        ? database.prepare('UPDATE contents SET text = ? WHERE text = ?').run(other, text)
        : database.prepare('UPDATE contents SET text = ?, sum = ? WHERE text = ?').run(other, contentSum(other), text);
  database.close();
  expect(changed.changes).toBe(1);
}

describe.each(['a byte', 'with its checksum', 'is gone'] as const)('F66: a shared text that is damaged: %s', (how) => {
  it('is healed by the next run that brings the right one', async () => {
    const first = await open('a', { replies: [{ text: 'One.' }] });
    await (await first.launch()).settled();
    await first.engine.close();
    damage(instructions, how);
    const next = await open('b', { replies: [{ text: 'Two.' }] });
    const run = await next.launch();
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    expect(JSON.stringify(next.model.requests[0]?.prompt)).toContain(instructions);
  });

  it('ends no interrupted run: it is refused while the right one is missing, and goes on afterwards', async () => {
    const first = await open('a', { replies: [{ hang: true }] });
    const run = await first.launch();
    await breathe();
    await first.engine.close();
    const before = JSON.stringify(await opened.at(-1)?.store.read(run.id));
    damage(instructions, how);
    // Today's profile says something else; the run goes by its own, whose text is not at hand once its files are damaged, too.
    const other = await open('b', { profile: waitsForUser, replies: [{ text: 'Two.' }] });
    const database = new DatabaseSync(file);
    const snapshot = database.prepare(`SELECT hash, sum, text FROM contents WHERE text LIKE '[{"path"%tea%'`).get();
    database.prepare('UPDATE contents SET text = replace(text, ?, ?) WHERE hash = ?').run('tea', 'war', snapshot?.['hash'] ?? '');
    database.close();
    await expect(other.engine.resume(run.id)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(JSON.stringify(await other.journal.read(run.id))).toBe(before);
    expect((await other.engine.runs({ runId: run.id }))[0]).toMatchObject({ status: 'running', isAbandoned: true });
    await other.engine.close();
    const next = await open('c', { replies: [{ text: 'Three.' }] });
    const again = await next.engine.resume(run.id);
    await again.settled();
    expect(again.turns()[0]?.reply.text).toBe('Three.');
    expect(JSON.stringify(next.model.requests[0]?.prompt)).toContain(instructions);
    // Its profile files are whole again, too.
    expect(next.journal.content(again.state.meta.profiles)).toBe(snapshot?.['text']);
  });
});

it('F66: a text that is damaged while a run is live halts it, and ends nothing', async () => {
  const first = await open('a', { replies: [{ text: 'One.' }] });
  const run = await first.launch();
  await run.settled();
  await first.engine.close();
  const inner = createSqliteJournal(file);
  let isBad = true;
  const broken: Journal = {
    location: inner.location,
    acquire: (runId, owner) => inner.acquire(runId, owner),
    release: (lease) => inner.release(lease),
    append: (lease, commit) => inner.append(lease, commit),
    read: (runId, options) => inner.read(runId, options),
    content: (hash) => {
      if (isBad) throw new Error('EIO: i/o error, read');
      return inner.content(hash);
    },
    runs: (filter) => inner.runs(filter),
    close: () => undefined,
  };
  const next = await testEngine({ profile, store: broken, replies: [{ text: 'Two.' }] });
  const again = await next.engine.resume(run.id);
  await again.send('and now?');
  await expect(again.result).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('EIO') as string });
  isBad = false;
  const third = await next.engine.resume(run.id);
  await third.settled();
  expect(third.turns().map(({ reply }) => reply.text)).toEqual(['One.', 'Two.']);
  await next.engine.close();
  await inner.close();
});

it('F42, F66: a text that is replaced with its checksum is not given out', async () => {
  const first = await open('a', { replies: [{ text: 'One.' }] });
  await (await first.launch()).settled();
  damage(instructions, 'with its checksum');
  const journal = createSqliteJournal(file, { readOnly: true });
  expect(() => journal.content(addressOf(instructions))).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
  await journal.close();
});
