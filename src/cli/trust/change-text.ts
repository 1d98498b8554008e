import type { ProfileReach } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { diffText } from '../../testing/suite/diff-text.ts';
import type { AgreedBefore } from './agreed-before.ts';
import type { CoveredFile } from './covered-files.ts';
import { contentsOf, outsideTitle, reachTitles, type TitledLines } from './trust-texts.ts';

/** What is agreed to now. */
export type AgreedNow = Omit<AgreedBefore, 'at' | 'place'>;

/** Most lines of all changed files together; lines of what a set reaches are never cut. */
const mostLines = 200;

/**
 * Renders what changed since a person agreed: lines of the reach in full, since a cut one could hide its end, and the changed lines of files.
 */
export function changeText(before: AgreedNow, now: AgreedNow): string {
  const keys = Object.keys(reachTitles) as readonly (keyof ProfileReach)[];
  const parts: readonly TitledLines[] = [
    ...keys.map((key) => ({ title: reachTitles[key], lines: linesChanged(before.reach[key], now.reach[key]) })),
    { title: outsideTitle, lines: linesChanged(before.outside, now.outside) },
    { title: 'files:', lines: filesChanged(before.files, now.files) },
  ].filter(({ lines }) => lines.length > 0);
  return [...parts.flatMap(({ title, lines }) => [`  ${title}`, ...lines]), ...contentsOf(parts)].join('\n');
}

function linesChanged(before: readonly string[], now: readonly string[]): readonly string[] {
  const gone = before.filter((line) => !now.includes(line)).map((line) => `    - ${safe(line, line.length)}`);
  const added = now.filter((line) => !before.includes(line)).map((line) => `    + ${safe(line, line.length)}`);
  if (gone.length + added.length > 0) return [...gone, ...added];
  return before.join('\n') === now.join('\n') ? [] : ['    their order changed'];
}

function filesChanged(before: readonly CoveredFile[], now: readonly CoveredFile[]): readonly string[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const current = new Map(now.map((file) => [file.path, file]));
  const changed = [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => old.get(name)?.hash !== current.get(name)?.hash)
    .toSorted();
  const lines: string[] = [];
  for (const name of changed) {
    const [was, is] = [old.get(name), current.get(name)];
    lines.push(`    ${safe(name, name.length)}${was === undefined ? ' (new)' : is === undefined ? ' (removed)' : ''}`);
    if (was !== undefined && is !== undefined) lines.push(...textChange(was, is, mostLines - lines.length));
  }
  return lines;
}

function textChange({ text: was }: CoveredFile, { text: is }: CoveredFile, most: number): readonly string[] {
  if (was === undefined || is === undefined) return ['      its content changed'];
  const lines = diffText(was, is).map(({ sign, text }) => `      ${sign === '@' ? '…' : sign} ${safe(text, 1_000)}`);
  const left = lines.length - Math.max(0, most);
  return left > 0 ? [...lines.slice(0, Math.max(0, most)), `      … ${left} more lines; compare the file`] : lines;
}
