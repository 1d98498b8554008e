import type { CodedObserver } from '../core/env.ts';
import { CadreError } from '../core/error.ts';

/**
 * Declares an observer written in code, for profiles that name it in an observer's action (`type: call`). It looks at
 * state and says what it wants done; it must be synchronous and must not change what it is shown.
 */
export function defineObserver(definition: CodedObserver): CodedObserver {
  if (typeof definition !== 'object' || definition === null)
    throw new CadreError(
      'OPTION_INVALID',
      `defineObserver needs a definition { name, observe(view) }, but got ${definition === null ? 'null' : typeof definition}`,
    );
  if (typeof definition.name !== 'string' || definition.name.trim() === '')
    throw new CadreError('OPTION_INVALID', 'defineObserver: name must be a text that is not empty');
  if (typeof definition.observe !== 'function')
    throw new CadreError('OPTION_INVALID', `defineObserver: observer '${definition.name}' has no function observe(view)`);
  return definition;
}
