import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };

/** What is told to servers as the version of their client. */
export const clientVersion = version;
