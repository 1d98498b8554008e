import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProfileFile } from '../../core/profile/profile.ts';

/** The name under which runs record the prices that come with Cadre. */
export const shippedPricesPath = 'cadre/prices.yaml';

/** Where they lie; the same place from src/profiles and from dist/profiles. */
const file = join(import.meta.dirname, '..', '..', '..', 'prices', 'models.yaml');

// Pure cache: of a file of the package, which does not change while the program runs.
let text: string | undefined;

/** The prices that come with Cadre, as a file of a profile set: what a run records of them goes on holding for it. */
export function shippedPrices(): ProfileFile {
  text ??= readFileSync(file, 'utf8');
  return { path: shippedPricesPath, text };
}
