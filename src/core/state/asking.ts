import type { AskingId, ContentHash } from '../ids.ts';
import type { RunMeta } from './run-context.ts';

/*
 * The id of one asking: one time that one run puts one thing before a person.
 *
 * 1. It derives from the run, the sequence number of the event that asks, and the fingerprint of what was shown. A verdict that names it names
 *    all three; no client has to send the fingerprint beside it.
 * 2. It stays the same while that asking waits: over restarts, resumes and processes.
 * 3. It never names another asking. A fork, and a run that is launched under the id of an erased one, differ in the mark of the run; a call
 *    that is asked again, an iteration and the next checkpoint differ in the number; an event that is written again after a power cut
 *    took it differs in the fingerprint, or shows the same.
 */

/** The event that asks a person, and the fingerprint of what it shows. */
export interface Asked {
  readonly seq: number;
  readonly fingerprint: ContentHash;
}

/** Identity of a run, as far as ids of its askings depend on it. */
export type AskingRun = Pick<RunMeta, 'runId' | 'createdAt' | 'parentRun'>;

const idForm = /^ask_([0-9a-z]+)_([0-9a-z]{8})[0-9A-Za-z]{8}$/;

/** Returns the id of an asking: letters, digits and `_`, safe in addresses and shells. */
export function askingId(run: AskingRun, { seq, fingerprint }: Asked): AskingId {
  const shown = fingerprint
    .replaceAll(/[^0-9A-Za-z]/g, '')
    .slice(0, 8)
    .padEnd(8, '0');
  return `ask_${seq.toString(36)}_${runMark(run)}${shown}` as AskingId;
}

/** Returns the sequence number in the id of an asking, and whether the id is one of this run; undefined for other texts. */
export function readAskingId(run: AskingRun, id: string): { readonly seq: number; readonly isOfRun: boolean } | undefined {
  const [, seq, mark] = idForm.exec(id) ?? [];
  return seq === undefined ? undefined : { seq: Number.parseInt(seq, 36), isOfRun: mark === runMark(run) };
}

/** Tells this run from those it was forked from, and from an erased run of the same id. */
function runMark({ runId, createdAt, parentRun }: AskingRun): string {
  const text = `${runId} ${createdAt} ${parentRun?.forkedAt ?? ''}`;
  // FNV-1a, from both ends of the text: pure and synchronous, in the page too. It tells runs apart, and protects nothing.
  let [front, back] = [0x811c9dc5, 0x811c9dc5];
  for (let index = 0; index < text.length; index += 1) {
    front = Math.imul(front ^ text.charCodeAt(index), 0x01000193) >>> 0;
    back = Math.imul(back ^ text.charCodeAt(text.length - 1 - index), 0x01000193) >>> 0;
  }
  return (front * 0x1000 + (back & 0xfff)).toString(36).padStart(9, '0').slice(-8);
}
