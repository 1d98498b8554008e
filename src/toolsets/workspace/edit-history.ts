import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { errorCode } from '../../files/error-code.ts';
import { removeInside } from '../../files/change-inside.ts';
import { writeInside } from '../../files/write-inside.ts';
import { workspaceName } from './workspace-files.ts';
import { engineFolder } from '../../files/guard/unreadable.ts';
import { readJson } from '../../core/read-json.ts';

/** One change of a file by a tool call, recorded before it is made. */
export interface EditRecord {
  readonly callId: string;
  readonly path: string;
  /** Text before: `null` when there was no file; absent when it was not kept. */
  readonly before?: string | null;
  /** Marks of the content before and after (see `markOf`). */
  readonly from: string;
  readonly to: string;
  /** Answer to the model. */
  readonly result: string;
  /** Id of the call whose change this one undid. */
  readonly undoes?: string;
}

const maxRecords = 200;

/** Lets the engine write to its own folder. */
const allows = (): boolean => true;

/**
 * Changes that the calls of one run made to files, stored in the workspace (`.cadre/edits`), so that any later turn can undo them, and
 * a call that runs again after a crash knows whether it happened.
 */
export class EditHistory {
  readonly #root: string;
  readonly #folder: string;

  constructor(root: string, runId: string) {
    this.#root = root;
    this.#folder = `${engineFolder}/edits/${fileName(runId)}`;
  }

  /** Returns the change that a call made or was about to make. */
  async find(callId: string): Promise<EditRecord | undefined> {
    return await this.#read(`${fileName(callId)}.json`);
  }

  /** Returns the last change of a file that was not undone. */
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

  /** Stores a record; removes the oldest ones beyond the limit. */
  async put(record: EditRecord): Promise<void> {
    const write = async (file: string, text: string) =>
      await writeInside({ root: this.#root, file, what: workspaceName, allows, bytes: new TextEncoder().encode(text) });
    const names = await this.#names();
    if (names.length === 0) await write(`${engineFolder}/edits/.gitignore`, '*\n');
    await write(`${this.#folder}/${fileName(record.callId)}.json`, JSON.stringify(record));
    for (const name of names.slice(0, Math.max(0, names.length + 1 - maxRecords)))
      await removeInside({ root: this.#root, file: `${this.#folder}/${name}`, what: workspaceName, allows });
  }

  /** File names of the records in the order of their calls. */
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
    const value = readJson(text) as JsonValue;
    return isJsonObject(value) ? (value as unknown as EditRecord) : undefined;
  }
}

/** Returns a mark that differs between contents of a file (a SHA-256 hash); `null` means no file. */
export function markOf(content: string | Uint8Array | null): string {
  return content === null ? 'absent' : hash('sha256', content, 'base64url');
}

function fileName(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E').slice(0, 120);
}
