import { CadreError, describeThrown } from '../core/error.ts';

/** The SDK of Restate. */
export type Sdk = typeof import('@restatedev/restate-sdk');

/** Imports the SDK, which only workers need. Throws DEPENDENCY_MISSING. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@restatedev/restate-sdk');
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `a worker for Restate needs the package @restatedev/restate-sdk, which is not installed (${describeThrown(thrown)}); install it with: npm install @restatedev/restate-sdk@1`,
      { cause: thrown },
    );
  }
}
