import { access, constants, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';

/** Checks before long work that a file can be written at its end; leaves no file behind. Fails with OPTION_INVALID. */
export async function checkWritable(file: string): Promise<void> {
  const place = path.resolve(file);
  try {
    const isNew = await access(place, constants.F_OK).then(
      () => false,
      () => true,
    );
    await (await open(place, 'a')).close();
    if (isNew) await rm(place);
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}
