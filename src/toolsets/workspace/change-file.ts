import { CadreError } from '../../core/error.ts';
import { createKeyedLock } from '../../files/keyed-lock.ts';
import { removeInside } from '../../files/change-inside.ts';
import { readWhole, useInside } from '../../files/read-inside.ts';
import type { InsidePath } from '../../files/resolve-inside.ts';
import { writeInside } from '../../files/write-inside.ts';
import { type EditHistory, type EditRecord, markOf } from './edit-history.ts';
import { insideFile, missing, showSize } from './workspace-files.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** Content of a file before a change. */
export interface Current {
  /** `null` when the file does not exist; undefined when it is not UTF-8 text, or too long to keep. */
  readonly text: string | null | undefined;
  readonly size: number;
}

/** New content of a file, and the answer to the model. */
export interface Change {
  /** `null` removes it. */
  readonly after: string | null;
  /** Answer to the model. */
  readonly result: string;
  /** Id of the call whose change this one undoes. */
  readonly undoes?: string;
}

/** File to change, the call that changes it, and the change. */
export interface ChangeRequest {
  readonly inside: InsidePath;
  readonly callId: string;
  /** Once it is aborted, no change begins; one that has begun is made whole. */
  readonly signal: AbortSignal;
  readonly history: EditHistory;
  readonly settings: WorkspaceSettings;
  readonly change: (current: Current) => Change | Promise<Change>;
}

const lock = createKeyedLock();

/**
 * Changes a file once per call: locks it against other calls of this process, records the change before making it, and replaces
 * the file only if it is still the one that was read. A call that runs again after a crash finds its record: it returns the recorded
 * answer when the change happened, and refuses when the file has other content.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` when the file has changed since it was read
 */
export async function changeFile(request: ChangeRequest): Promise<string> {
  const { inside, callId, signal, history, settings } = request;
  return await lock.hold(inside.absolute, async () => {
    const { current, mark, version } = await readCurrent(inside, settings.maxFileBytes);
    const past = await history.find(callId);
    if (past?.path === inside.path) {
      if (past.to === mark) return past.result;
      if (past.from !== mark) throw interrupted(inside.path);
    }
    const { after, result, undoes } = await request.change(current);
    const record: EditRecord = {
      callId,
      path: inside.path,
      ...(current.text === undefined ? {} : { before: current.text }),
      from: mark,
      to: markOf(after),
      result,
      ...(undoes === undefined ? {} : { undoes }),
    };
    signal.throwIfAborted();
    await history.put(record);
    if (after === null) await removeInside(insideFile(inside, settings));
    else await writeInside({ ...insideFile(inside, settings), bytes: new TextEncoder().encode(after), expected: version });
    return result;
  });
}

/** Returns the text of a file; throws `TOOL_FAILED` when the file does not exist, is too long or is not text. */
export async function textToEdit({ text, size }: Current, inside: InsidePath, maxBytes: number): Promise<string> {
  if (text === null) throw await missing(inside);
  if (text !== undefined) return text;
  const why =
    size > maxBytes ? `is ${showSize(size)} long; files of up to ${showSize(maxBytes)} can be edited` : 'is not UTF-8 text';
  throw new CadreError('TOOL_FAILED', `${JSON.stringify(inside.path)} ${why}. Nothing was changed.`);
}

interface CurrentFile {
  readonly current: Current;
  readonly mark: string;
  /** For `writeInside`: the version that was read. */
  readonly version: string;
}

/** Reads a file as it is now, within a limit. */
export async function readCurrent(inside: InsidePath, maxBytes: number): Promise<CurrentFile> {
  if (inside.found === 'missing') return { current: { text: null, size: 0 }, mark: markOf(null), version: 'absent' };
  return await useInside(insideFile(inside), async (opened) => {
    const { size, version } = opened;
    const bytes = size > maxBytes ? undefined : await readWhole(opened);
    if (bytes === undefined) return { current: { text: undefined, size }, mark: version, version };
    return { current: { text: decode(bytes), size }, mark: markOf(bytes), version };
  });
}

/** Decodes text and keeps its byte order mark, so that it can be restored exactly. */
function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder fails only for bytes that are not UTF-8.
    return undefined;
  }
}

function interrupted(path: string): CadreError {
  return new CadreError(
    'TOOL_FAILED',
    `This call was interrupted before, and ${JSON.stringify(path)} has changed since, so it cannot be said whether the call happened. It was not repeated; read the file and do what is still needed.`,
  );
}
