import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
// Pure cache: the library, read when the first text is parsed that no build parsed.
let library: typeof import('yaml') | undefined;

/** Returns the library that parses YAML. */
export function yamlLibrary(): typeof import('yaml') {
  return (library ??= load('yaml') as typeof import('yaml'));
}
