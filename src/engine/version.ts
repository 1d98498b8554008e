/** The version of the engine, as runs record it; equal to the package's, which a test checks. */
export const engineVersion = '0.1.0';
