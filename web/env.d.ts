declare module '*.css';

// Modules of core whose types the page uses lead to code that only Node runs; none of it is part of the page.
declare module 'node:module' {
  export function createRequire(file: string): (name: string) => unknown;
}
declare const Buffer: { from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string } };
