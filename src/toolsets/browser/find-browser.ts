import { existsSync } from 'node:fs';
import { CadreError } from '../../core/error.ts';

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Returns the path of the wanted browser, else of the first in the usual places.
 *
 * @throws CadreError `DEPENDENCY_MISSING` without one, with the commands that install it
 */
export function findBrowser(wanted: string | undefined): string {
  const found = (wanted === undefined ? usualPlaces : [wanted]).find((place) => existsSync(place));
  if (found !== undefined) return found;
  const where = wanted === undefined ? 'No Chromium or Chrome was found in the usual places' : `There is no browser at ${wanted}`;
  throw new CadreError(
    'DEPENDENCY_MISSING',
    `${where}. Install one with: apt-get install -y chromium (or your system's way), or name one with the setting \`executable\`.`,
  );
}
