import { createHash } from 'node:crypto';
import type { ProfileReach } from '../../engine/launch/reach-of-profiles.ts';
import type { AgreedNow } from './change-text.ts';

/** Hashes what a user agrees to at a place: another folder, another file or another line is another agreement. */
export function agreementHash(place: string, { reach, files }: Pick<AgreedNow, 'reach' | 'files'>): string {
  const contents = files.map(({ path, hash }) => [path, hash]);
  return hashOf({ version: 2, place, reach: linesOf(reach), approvals: reach.approvals, contents });
}

/**
 * Hashes what profiles reach, for runs that this machine recorded: their profiles were agreed to, and their gates are in their record.
 *
 * @param journal journal whose clients agreed to it by their requests; absent when a person agreed to the folder
 */
export function reachHash(reach: ProfileReach, journal?: string): string {
  return hashOf({ version: 2, reach: linesOf(reach), ...(journal === undefined ? {} : { journal }) });
}

/** True when profiles reach nothing beyond what others reach, and ask and allow the same. */
export function isWithin(reach: ProfileReach, other: ProfileReach): boolean {
  const known = linesOf(other).map((lines) => new Set(lines));
  const isCovered = linesOf(reach).every((lines, index) => lines.every((line) => known[index]?.has(line) === true));
  return isCovered && reach.approvals.join('\n') === other.approvals.join('\n');
}

function linesOf({ commands, code, variables, destinations, files, settings }: ProfileReach): readonly (readonly string[])[] {
  return [commands, code, variables, destinations, files, settings];
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
