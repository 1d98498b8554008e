import { closestName } from '../core/expression/closest-name.ts';

const maxListed = 12;
const maxQuoted = 60;
const maxCompared = 100;

/** Quotes a value from a file for a message, on one line and shortened. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const line = text.replaceAll(/\s+/g, ' ');
  return `\`${line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line}\``;
}

/** Lists names for a message, sorted and capped. */
export function listNames(names: Iterable<string>, most = maxListed): string {
  const sorted = [...new Set(names)].toSorted();
  if (sorted.length === 0) return 'none';
  const shown = sorted.slice(0, most).join(', ');
  return sorted.length > most ? `${shown}, … (${sorted.length} in all)` : shown;
}

interface HintOptions {
  /** Label of the listed names, such as `known tools`. */
  readonly what: string;
  readonly mostListed?: number | undefined;
}

/** Returns the hint for an unknown name: a similar name, and the known ones. */
export function nameHint(name: string, known: Iterable<string>, options: string | HintOptions = 'known'): string {
  const { what, mostListed = maxListed } = typeof options === 'string' ? { what: options } : options;
  const names = [...known];
  // Comparing two names takes time proportional to the product of their lengths.
  const meant =
    name.length > maxCompared
      ? undefined
      : closestName(
          name,
          names.filter((candidate) => candidate.length <= maxCompared),
        );
  return `${meant === undefined ? '' : `did you mean ${quote(meant)}? `}${what}: ${listNames(names, mostListed)}`;
}
