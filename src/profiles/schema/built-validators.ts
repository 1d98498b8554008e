import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import type { ShapeKind } from './shape-schemas.ts';

type Validators = Readonly<Record<ShapeKind, ValidateFunction>>;

const file = join(import.meta.dirname, 'built-validators.cjs');
// Pure cache: what the build wrote; null from source, where it wrote nothing.
let built: Validators | null | undefined;

/** Returns a shape's validator from the build (`scripts/build-bundle.mjs`); undefined when running from source. */
export function builtValidator(kind: ShapeKind): ValidateFunction | undefined {
  if (built === undefined) built = existsSync(file) ? (createRequire(import.meta.url)(file) as Validators) : null;
  return built?.[kind];
}
