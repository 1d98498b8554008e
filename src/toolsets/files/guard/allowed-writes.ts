import type { JsonSchema } from '../../../core/json.ts';
import { compileGlobs, type PathTest } from '../glob-pattern.ts';

/** The setting by which a profile's author agrees that tools write files which make other programs run something. */
export const allowWritesSetting: JsonSchema = {
  // Whoever launches a run does not agree for the author.
  'x-request': false,
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description: 'Globs of paths that may be written although they make other programs run something, such as ".git" or ".vscode".',
};

/** What `allow_writes` says: nothing is allowed when it is absent. */
export function toAllowedWrites(value: unknown): PathTest {
  const globs = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return globs.length === 0 ? allowsNothing : compileGlobs(globs);
}

const allowsNothing: PathTest = () => false;
