import type { PathTest } from './glob-pattern.ts';

/** Allows every path, for writes that a user named or that are the engine's own: whether other programs read the file is not even asked. */
export const anything: PathTest = () => true;
