import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProfileFile } from '../../core/profile/profile.ts';

/** Path under which runs record the bundled prices. */
export const shippedPricesPath = 'cadre/prices.yaml';

/** Location of the bundled prices; the path is the same from src/ and dist/. */
const file = join(import.meta.dirname, '..', '..', '..', 'prices', 'models.yaml');

// Pure cache: text of a packaged file, which does not change while the program runs.
let text: string | undefined;

/** Returns the bundled prices as a file of a profile set; a run that recorded them keeps using that version. */
export function shippedPrices(): ProfileFile {
  text ??= readFileSync(file, 'utf8');
  return { path: shippedPricesPath, text };
}
