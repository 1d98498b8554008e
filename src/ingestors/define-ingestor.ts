import { CadreError } from '../core/error.ts';
import type { Ingestor } from '../core/inbox/ingestor.ts';

/**
 * Declares an ingestor: a pure, synchronous function from an item's payload, or the value of a segment of a system prompt, to what the model
 * reads. It may throw: the failure is reported, and the item is tried again in the next turns, three times in all.
 *
 * @throws CadreError `OPTION_INVALID` when the name or the function is missing
 */
export function defineIngestor(definition: Ingestor): Ingestor {
  if (typeof definition !== 'object' || definition === null)
    throw new CadreError(
      'OPTION_INVALID',
      `defineIngestor needs a definition { name, ingest(payload, params, view) }, but got ${definition === null ? 'null' : typeof definition}`,
    );
  if (typeof definition.name !== 'string' || definition.name.trim() === '')
    throw new CadreError('OPTION_INVALID', 'defineIngestor: name must be a text that is not empty');
  if (typeof definition.ingest !== 'function')
    throw new CadreError(
      'OPTION_INVALID',
      `defineIngestor: ingestor '${definition.name}' has no function ingest(payload, params, view)`,
    );
  return definition;
}
