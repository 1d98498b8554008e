import { existsSync } from 'node:fs';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import { settingsProgram } from '../../files/programs/agreed-program.ts';
import { missingProgram, searchProgram } from '../../files/programs/find-program.ts';

/** Folders and names of browsers, in the order in which they are preferred. */
const usualPlaces = [
  { folder: '/usr/bin', names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] },
  { folder: '/snap/bin', names: ['chromium'] },
  { folder: '/Applications/Google Chrome.app/Contents/MacOS', names: ['Google Chrome'] },
  { folder: '/Applications/Chromium.app/Contents/MacOS', names: ['Chromium'] },
] as const;

/**
 * Returns the path of the wanted browser, else of the first in the usual places.
 *
 * @throws CadreError `DEPENDENCY_MISSING` without one, with the commands that install it
 */
export function findBrowser(wanted: string | undefined): string {
  if (wanted !== undefined) return wantedBrowser(wanted);
  const refused: string[] = [];
  for (const { folder, names } of usualPlaces)
    for (const name of names) {
      const search = searchProgram(name, { in: 'path', path: folder });
      if (search.found !== undefined) return search.found.path;
      if (search.refused.length > 0) refused.push(missingProgram(name, search));
    }
  const why = refused.length === 0 ? 'No Chromium or Chrome was found in the usual places' : refused.join('; ');
  throw missingBrowser(why);
}

function wantedBrowser(wanted: string): string {
  try {
    return settingsProgram(wanted, process.cwd()).path;
  } catch (thrown) {
    const why = existsSync(wanted) ? `The browser ${wanted} cannot be started` : `There is no browser at ${wanted}`;
    const { message } = toErrorRecord(thrown, 'DEPENDENCY_MISSING');
    throw missingBrowser(existsSync(wanted) ? `${why}: ${message.replace(/\.$/, '')}` : why, thrown);
  }
}

function missingBrowser(why: string, cause?: unknown): CadreError {
  return new CadreError(
    'DEPENDENCY_MISSING',
    `${why}. Install one with: apt-get install -y chromium (or your system's way), or name one with the setting \`executable\`.`,
    cause === undefined ? {} : { cause },
  );
}
