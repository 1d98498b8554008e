import { closestName } from '../../../core/expression/closest-name.ts';

/**
 * Returns up to five file names that a mistyped one may mean: the same name in another folder, a name that contains it, or one that
 * differs by a few letters.
 */
export function nearNames(file: string, known: readonly string[]): readonly string[] {
  const wanted = baseName(file);
  const near = new Set<string>();
  const add = (matches: (name: string) => boolean): void => {
    for (const name of known) {
      if (near.size < 5 && matches(name)) near.add(name);
    }
  };
  add((name) => baseName(name) === wanted);
  const stem = withoutEnding(wanted);
  if (stem.length >= 3) add((name) => name.toLowerCase().includes(stem));
  const closest = closestName(wanted, new Set(known.slice(0, 5000).map(baseName)));
  if (closest !== undefined) add((name) => baseName(name) === closest);
  return [...near];
}

function baseName(file: string): string {
  return (file.split('/').at(-1) ?? file).slice(0, 200).toLowerCase();
}

function withoutEnding(name: string): string {
  return name.replace(/\.[a-z]+$/, '');
}
