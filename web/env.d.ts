declare module '*.css';

/** Modules of core whose types the page uses read packages with it; none of them is part of the page. */
declare module 'node:module' {
  export function createRequire(file: string): (name: string) => unknown;
}
