/** Version of the engine, as runs record it; a test checks that it equals the package's. */
export const engineVersion = '0.1.0';
