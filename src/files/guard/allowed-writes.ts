import type { JsonSchema } from '../../core/json.ts';
import { compileGlobs, type PathTest } from '../glob-pattern.ts';

/** Setting by which the author of a profile lets tools write auto-run files. */
export const allowWritesSetting: JsonSchema = {
  // Only the author may agree, never a launch request.
  'x-request': false,
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description: 'Globs of paths that may be written although they make other programs run something, such as ".git" or ".vscode".',
};

/** Compiles the setting `allow_writes`; allows nothing when it is absent. */
export function toAllowedWrites(value: unknown): PathTest {
  const globs = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return globs.length === 0 ? allowsNothing : compileGlobs(globs);
}

const allowsNothing: PathTest = () => false;
