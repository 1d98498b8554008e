import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
// Pure cache: the library, read with the first pattern; most processes have none, and it is large.
let library: typeof import('re2js') | undefined;

/** Returns the library of regular expressions that take linear time. */
export function regexLibrary(): typeof import('re2js') {
  return (library ??= load('re2js') as typeof import('re2js'));
}
