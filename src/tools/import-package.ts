import { CadreError, describeThrown } from '../core/error.ts';

/**
 * Imports an optional package on first use.
 *
 * @throws CadreError `DEPENDENCY_MISSING` with the command that installs it and what else the same task needs
 */
export async function importPackage<Module>(
  load: () => Promise<Module>,
  what: string,
  packages: readonly string[],
): Promise<Module> {
  try {
    return await load();
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `${what} needs ${packages.length === 1 ? 'a package that cannot be loaded' : 'packages, one of which cannot be loaded'} ` +
        `(${describeThrown(thrown).split('\n')[0]}). Install with: npm install ${packages.join(' ')}`,
      { cause: thrown },
    );
  }
}
