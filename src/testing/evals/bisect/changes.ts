import { diffArrays } from 'diff';
import type { ProfileFile } from '../../../core/profile/profile.ts';

/** One changed place of one file. */
export interface ProfileChangePlace {
  /** Path of the file, as the new version names it. */
  readonly path: string;
  /** Line in the new file, or in the old one when only lines were removed; starts at 1. */
  readonly line: number;
  /** Index of its first line in the old file. */
  readonly start: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The whole file is new, or is gone. */
  readonly whole: 'added' | 'removed' | undefined;
}

/** Two versions of profiles, and the changes that lead from one to the other. */
export interface ProfileVersions {
  readonly before: readonly ProfileFile[];
  readonly after: readonly ProfileFile[];
  /** By path and line. */
  readonly changes: readonly ProfileChangePlace[];
}

/** Compares two versions of profiles, place by place. */
export function profileVersions(before: readonly ProfileFile[], after: readonly ProfileFile[]): ProfileVersions {
  const [old, now] = [byPath(before), byPath(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return { before, after, changes: paths.flatMap((path) => changesOf(path, old.get(path)?.text, now.get(path)?.text)) };
}

/** Returns the old version with some of the changes. */
export function withChanges({ before, after }: ProfileVersions, chosen: readonly ProfileChangePlace[]): readonly ProfileFile[] {
  const [old, now] = [byPath(before), byPath(after)];
  const touched = Map.groupBy(chosen, ({ path }) => path);
  const files: ProfileFile[] = [];
  for (const [path, file] of old) {
    const own = touched.get(path) ?? [];
    if (own.some(({ whole }) => whole === 'removed')) continue;
    files.push(own.length === 0 ? file : { path: file.path, text: applied(file.text, own) });
  }
  for (const [path, own] of touched) {
    const file = now.get(path);
    if (file !== undefined && own.some(({ whole }) => whole === 'added')) files.push(file);
  }
  return files;
}

function changesOf(path: string, old: string | undefined, now: string | undefined): readonly ProfileChangePlace[] {
  if (old === now) return [];
  const whole = old === undefined ? 'added' : now === undefined ? 'removed' : undefined;
  if (old === undefined || now === undefined)
    return [{ path, line: 1, start: 0, removed: linesOf(old ?? ''), added: linesOf(now ?? ''), whole }];
  const changes: ProfileChangePlace[] = [];
  let [start, line] = [0, 0];
  let open: { removed: readonly string[]; added: readonly string[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const place = { path, line: line - open.added.length + 1, start: start - open.removed.length, ...open, whole: undefined };
    changes.push(...byLine(place));
    open = undefined;
  };
  for (const { value, added, removed } of diffArrays(linesOf(old), linesOf(now))) {
    if (!added && !removed) close();
    else open = { removed: removed ? value : (open?.removed ?? []), added: added ? value : (open?.added ?? []) };
    if (!added) start += value.length;
    if (!removed) line += value.length;
  }
  close();
  return changes;
}

/** Splits a place by lines: a line that replaced another is one change, and lines that were only added or removed are one. */
function byLine(change: ProfileChangePlace): readonly ProfileChangePlace[] {
  const { removed, added, line, start } = change;
  const replaced = Math.min(removed.length, added.length);
  const changes = Array.from({ length: replaced }, (_, index) => ({
    ...change,
    line: line + index,
    start: start + index,
    removed: removed.slice(index, index + 1),
    added: added.slice(index, index + 1),
  }));
  if (removed.length === added.length) return changes;
  const rest = { line: line + replaced, start: start + replaced, removed: removed.slice(replaced), added: added.slice(replaced) };
  return [...changes, { ...change, ...rest }];
}

function applied(text: string, changes: readonly ProfileChangePlace[]): string {
  const lines = [...linesOf(text)];
  // From the end, so that the places before stay where they are.
  for (const { start, removed, added } of changes.toSorted((a, b) => b.start - a.start))
    lines.splice(start, removed.length, ...added);
  return lines.join('\n');
}

function linesOf(text: string): string[] {
  // Line ends of another system are no change.
  return text.split(/\r?\n/);
}

/**
 * Returns files with another name of the folder that they were read from, so that two versions of one team have the same paths. Files of teams
 * that it includes keep theirs.
 */
export function inFolder(files: readonly ProfileFile[], from: string, to: string): readonly ProfileFile[] {
  return files.map(({ path, text }) => ({ path: path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path, text }));
}

function byPath(files: readonly ProfileFile[]): ReadonlyMap<string, ProfileFile> {
  return new Map(files.map((file) => [file.path, file]));
}
