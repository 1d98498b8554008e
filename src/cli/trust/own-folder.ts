import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { isNamedFolder } from './named-folders.ts';
import { isBelow, realFolder } from './run-folders.ts';

/**
 * A folder that a command uses without a word of its user, because a project has it there. One that really lies outside the project, by
 * way of a link, was not chosen by the user: fails with FOLDER_UNTRUSTED, unless CADRE_TRUST names it.
 *
 * @param how what the user can say instead, like `--docs`
 */
export async function ownFolder(folder: string, project: string, how: string): Promise<string> {
  const absolute = path.resolve(folder);
  const [real, inside] = await Promise.all([realFolder(absolute), realFolder(project)]);
  if (isBelow(inside, real) || isNamedFolder(real)) return absolute;
  throw new CadreError(
    'FOLDER_UNTRUSTED',
    `${absolute} leads to ${real}, outside ${inside}, and was not named by you; remove the link, or say ${how} if this folder is meant`,
    { details: { place: absolute } },
  );
}
