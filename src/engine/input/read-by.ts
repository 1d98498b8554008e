import { isBy, longestBy } from '../../core/by.ts';
import { CadreError } from '../../core/error.ts';
import { shownValue } from '../check-arguments.ts';

/** Option of everything that acts on a run. */
export interface ByOption {
  /** The person on whose behalf this is done, for the record: a name in one line. Absent: the program itself. */
  readonly by?: string;
}

/**
 * Returns `by` as a field of an input or event; empty when it is absent.
 *
 * @throws CadreError `OPTION_INVALID` when it is no name
 */
export function readBy({ by }: { readonly by?: string | undefined }): ByOption {
  if (by === undefined) return {};
  if (isBy(by)) return { by };
  throw new CadreError('OPTION_INVALID', `by must be a name in one line, of 1 to ${longestBy} characters, not ${shownValue(by)}`);
}
