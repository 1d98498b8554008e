import { readFile } from 'node:fs/promises';
import { CadreError } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json.ts';
import { parseRecording, type Recording } from '../../../core/recording/recording.ts';
import { writeOutput } from '../../../files/output-file.ts';
import type { Run } from '../../../engine/run.ts';
import type { PlannedRun } from './planned-run.ts';
import { readJson } from '../../../core/read-json.ts';

const format = 'cadre-eval-recording/1';

/** Returns the key of a run of an eval, or of its judge with the key `judge`. */
export function recordingKey({ case: own, variant, repeat }: PlannedRun, judge?: string): string {
  return [own.name, variant.name, String(repeat), ...(judge === undefined ? [] : [`judge ${judge}`])].join(' · ');
}

/** Recordings of the runs of an eval, from which it can be run again without a model. */
export class EvalRecording {
  readonly #runs: Map<string, string>;
  /** Name of the file, for messages. */
  readonly source: string;

  constructor(source: string, runs: ReadonlyMap<string, string> = new Map()) {
    this.source = source;
    this.#runs = new Map(runs);
  }

  /** Reads a file. Fails with RECORDING_INVALID when it is none. */
  static async read(file: string): Promise<EvalRecording> {
    const fail = (why: string): CadreError =>
      new CadreError('RECORDING_INVALID', `${file} ${why}; record an eval with: cadre eval SUITE --record ${file}`);
    const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      throw fail(`cannot be read (${thrown.code ?? thrown.message})`);
    });
    let read: unknown;
    try {
      read = readJson(text);
    } catch {
      throw fail('is no JSON');
    }
    if (!isJsonObject(read) || read['format'] !== format || !isJsonObject(read['runs']))
      throw fail(`is no recording of an eval (${format})`);
    const runs = Object.entries(read['runs']);
    const odd = runs.find(([, recording]) => typeof recording !== 'string');
    if (odd !== undefined) throw fail(`has something else than a text for '${odd[0]}'`);
    return new EvalRecording(file, new Map(runs as [string, string][]));
  }

  has(key: string): boolean {
    return this.#runs.has(key);
  }

  /** Returns the recording of a run. Fails with RECORDING_INVALID when there is none. */
  of(key: string): Recording {
    const text = this.#runs.get(key);
    if (text !== undefined) return parseRecording(text, `${this.source}, ${key}`);
    throw new CadreError('RECORDING_INVALID', `${this.source} has no run '${key}'; record the eval again with --record`);
  }

  async add(key: string, run: Run): Promise<void> {
    this.#runs.set(key, await run.recording());
  }

  /** Writes the file; keys are sorted, so that versions can be compared. */
  async write(): Promise<void> {
    const runs = Object.fromEntries([...this.#runs].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    await writeOutput(this.source, `${JSON.stringify({ format, runs }, null, 2)}\n`, { namedBy: 'user' });
  }
}
