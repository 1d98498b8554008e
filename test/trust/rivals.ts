import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { waitingEngine } from './waiting-engine.ts';

/** What processes that want one run came to. */
export interface Rivalry {
  readonly won: number;
  readonly locked: number;
  /** The longest any of them waited to be told, in milliseconds. */
  readonly slowestMs: number;
  /** What the old holder wrote after it was stopped, its run taken over, and it was let go on; and what it was told. */
  readonly zombieRecords: number;
  readonly zombieCode: string;
}

interface Said {
  readonly code: string;
  readonly ms?: number;
}

/** Eight processes take up one run at the same moment; then the winner is stopped, its run taken over, and it goes on. */
export async function rivals(count: number): Promise<Rivalry> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-rivals-'));
  const store = path.join(folder, 'journal.db');
  const children: Rival[] = [];
  try {
    const engine = await waitingEngine(store);
    const run = await engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    await engine.close();
    for (let index = 0; index < count; index++) children.push(new Rival(store, run.id));
    for (const child of children) await child.next();
    for (const child of children) child.tell('go');
    const said = await Promise.all(children.map((child) => child.next()));
    const winner = children[said.findIndex(({ code }) => code === 'OK')];

    winner?.signal('SIGSTOP');
    const journal = createSqliteJournal(store, { takeOver: true });
    const heir = await waitingEngine(journal);
    const taken = await heir.resume(run.id);
    await taken.send('taken over');
    await taken.settled();
    const before = taken.state.seq;
    winner?.signal('SIGCONT');
    winner?.tell('a message for the old holder');
    const zombie = await winner?.next();
    const records = (await journal.read(run.id)).length - before;
    await heir.close();
    await journal.close();
    return {
      won: said.filter(({ code }) => code === 'OK').length,
      locked: said.filter(({ code }) => code === 'RUN_LOCKED').length,
      slowestMs: Math.max(...said.map(({ ms }) => ms ?? 0)),
      zombieRecords: records,
      zombieCode: zombie?.code ?? '',
    };
  } finally {
    await Promise.all(children.map((child) => child.end()));
    rmSync(folder, { recursive: true, force: true });
  }
}

const script = fileURLToPath(new URL('rival.ts', import.meta.url));

class Rival {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(store: string, runId: string) {
    this.#child = spawn(process.execPath, [script, store, runId], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the child has no output');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async next(): Promise<Said> {
    const { value } = await this.#lines.next();
    return value === undefined ? { code: 'ended' } : (JSON.parse(value) as Said);
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.stdin?.end();
    await exited;
  }
}
