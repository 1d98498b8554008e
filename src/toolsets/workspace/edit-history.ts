import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { errorCode } from '../files/error-code.ts';
import { removeInside } from '../files/change-inside.ts';
import { writeInside } from '../files/write-inside.ts';
import { workspaceName } from './workspace-files.ts';
import { engineFolder } from '../files/guard/unreadable.ts';

/** One change of a file by a tool call, written down before it is made. */
export interface EditRecord {
  readonly callId: string;
  readonly path: string;
  /** The text before: `null` when there was no file; absent when it was not kept. */
  readonly before?: string | null;
  /** Marks of what was there before and after (see `markOf`). */
  readonly from: string;
  readonly to: string;
  /** What the model was told. */
  readonly result: string;
  /** The call whose change this one took back. */
  readonly undoes?: string;
}

const maxRecords = 200;

/** The engine's own folder is the engine's to write. */
const allows = (): boolean => true;

/**
 * The changes that calls of one run made to files, kept in the workspace (`.cadre/edits`), so that they can be taken back in
 * any later turn, and a call that is run again after a crash knows whether it happened.
 */
export class EditHistory {
  readonly #root: string;
  readonly #folder: string;

  constructor(root: string, runId: string) {
    this.#root = root;
    this.#folder = `${engineFolder}/edits/${fileName(runId)}`;
  }

  /** What a call did, or was about to do. */
  async find(callId: string): Promise<EditRecord | undefined> {
    return await this.#read(`${fileName(callId)}.json`);
  }

  /** The last change of a file that was not taken back. */
  async lastOf(path: string): Promise<EditRecord | undefined> {
    const undone = new Set<string>();
    for (const name of (await this.#names()).toReversed()) {
      const record = await this.#read(name);
      if (record?.path !== path || undone.has(record.callId)) continue;
      if (record.undoes === undefined) return record;
      undone.add(record.undoes);
    }
    return undefined;
  }

  async put(record: EditRecord): Promise<void> {
    const write = async (file: string, text: string) =>
      await writeInside({ root: this.#root, file, what: workspaceName, allows, bytes: new TextEncoder().encode(text) });
    const names = await this.#names();
    if (names.length === 0) await write(`${engineFolder}/edits/.gitignore`, '*\n');
    await write(`${this.#folder}/${fileName(record.callId)}.json`, JSON.stringify(record));
    for (const name of names.slice(0, Math.max(0, names.length + 1 - maxRecords)))
      await removeInside({ root: this.#root, file: `${this.#folder}/${name}`, what: workspaceName, allows });
  }

  /** The records in the order of their calls. */
  async #names(): Promise<readonly string[]> {
    try {
      const names = await readdir(join(this.#root, this.#folder));
      return names
        .filter((name) => name.endsWith('.json'))
        .toSorted((left, right) => left.length - right.length || (left < right ? -1 : 1));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #read(name: string): Promise<EditRecord | undefined> {
    let text: string;
    try {
      text = await readFile(join(this.#root, this.#folder, name), 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? (value as unknown as EditRecord) : undefined;
  }
}

/** What tells one content of a file from another; `null` is a file that is not there. */
export function markOf(content: string | Uint8Array | null): string {
  return content === null ? 'absent' : hash('sha256', content, 'base64url');
}

function fileName(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E').slice(0, 120);
}
