import { CadreError, describeThrown } from '../../core/error.ts';

/** The part of the package `pg` that the journal uses. */
export type Driver = typeof import('pg').default;

/** Imports the package `pg`, which is installed only by those who use it. Throws DEPENDENCY_MISSING. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default;
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `a journal on PostgreSQL needs the package pg, which is not installed (${describeThrown(thrown)}); install it with: npm install pg@8`,
      { cause: thrown },
    );
  }
}
