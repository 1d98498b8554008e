import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CadreError } from '../core/error.ts';

/** Name of a temporary folder: its purpose, and six random characters that the system adds. */
const tempName = /^cadre-[a-z]{1,20}-\w{6}$/;

/**
 * Makes a folder for temporary files that only this user can enter, under an unpredictable name: `cadre-PURPOSE-XXXXXX` in the
 * system's temporary folder. The other functions of this file refuse paths outside such folders.
 */
export function makeTempFolder(purpose: string): string {
  return mkdtempSync(path.join(tmpdir(), `cadre-${purpose}-`));
}

/** Makes a private folder in a temporary folder. */
export function makeTempSubfolder(folder: string): void {
  mkdirSync(inTempFolder(folder), { mode: 0o700 });
}

/** Writes a new private file in a temporary folder; fails when something of that name is there. */
export function writeTempFile(file: string, content: string | Uint8Array): void {
  writeWith(constants.O_EXCL, file, content);
}

/** Appends to a private file in a temporary folder. */
export function appendTempFile(file: string, text: string): void {
  writeWith(constants.O_APPEND, file, text);
}

function writeWith(flag: number, file: string, text: string | Uint8Array): void {
  const descriptor = openSync(inTempFolder(file), constants.O_WRONLY | constants.O_CREAT | noFollow | flag, 0o600);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a temporary folder, or something in one, with all it holds; follows no link. */
export function removeTempSync(place: string): void {
  rmSync(inTempFolder(place), { recursive: true, force: true, maxRetries: 3 });
}

/** Does the same without holding up other work. */
export async function removeTemp(place: string): Promise<void> {
  await rm(inTempFolder(place), { recursive: true, force: true, maxRetries: 3 });
}

// Windows has no such flag.
const noFollow = constants.O_NOFOLLOW ?? 0;

function inTempFolder(place: string): string {
  if (
    path
      .resolve(place)
      .split(path.sep)
      .some((name) => tempName.test(name))
  )
    return place;
  throw new CadreError('INTERNAL', `${place} lies in no temporary folder of Cadre`);
}
