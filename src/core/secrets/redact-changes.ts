import type { Secrets } from './secrets.ts';
import type { Changes, Patch } from '../patches/patch.ts';

/**
 * Redacts the new values of code's changes to state: they may come from outside. The old values are already recorded.
 *
 * @throws Error when a key of state holds a secret: two keys could become equal
 */
export function redactChanges(changes: Changes, secrets: Pick<Secrets, 'json' | 'text' | 'size'>): Changes {
  if (secrets.size === 0) return changes;
  const { patches, inverse } = changes;
  return { patches: patches.map((patch) => redacted(patch, secrets)), inverse };
}

function redacted(patch: Patch, secrets: Pick<Secrets, 'json' | 'text'>): Patch {
  if (patch.path.some((key) => typeof key === 'string' && secrets.text(key) !== key))
    throw new Error('a key of state would hold a secret; keys are recorded as they are, so choose another one');
  return patch.value === undefined ? patch : { ...patch, value: secrets.json(patch.value) };
}
