import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { isNamedFolder } from './named-folders.ts';
import { isWithin } from '../../files/is-within.ts';
import { realFolder } from './run-folders.ts';

/**
 * Returns the absolute path of a default folder of a project. Fails with FOLDER_UNTRUSTED when a link leads it outside the project, which
 * the user did not choose, unless CADRE_TRUST names it.
 *
 * @param how option with which the user can name the folder, like `--docs PATH`
 */
export async function ownFolder(folder: string, project: string, how: string): Promise<string> {
  const absolute = path.resolve(folder);
  const [real, inside] = await Promise.all([realFolder(absolute), realFolder(project)]);
  if (isWithin(inside, real) || isNamedFolder(real)) return absolute;
  throw new CadreError(
    'FOLDER_UNTRUSTED',
    `${safe(absolute, 1_000)} leads to ${safe(real, 1_000)}, outside ${safe(inside, 1_000)}, and you did not name it; remove the link, or name the folder with ${how}`,
    { details: { place: absolute } },
  );
}
