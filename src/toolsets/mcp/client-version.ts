import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };

/** Client version sent to servers. */
export const clientVersion = version;
