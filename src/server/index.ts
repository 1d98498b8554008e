/** The server, for programs that serve their own engine: `cadre/server`. */
export { createServerApp, type ServerAppOptions } from './http/create-server-app.ts';
export { serve, type ServeOptions, type Served } from './http/serve.ts';
export type { ServerApp, ServerEnv, ServerParts } from './http/server-parts.ts';
export type { ErrorAnswer } from './http/error-statuses.ts';
export type { RunRow } from './http/run-row.ts';
export { receiveMail } from './reach/receive-mail.ts';
