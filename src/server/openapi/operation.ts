import type { JsonObject } from '../../core/json.ts';
import type { AccessOf } from '../access/access-table.ts';
import { named } from './schema-record.ts';

/** A request that the server answers, as the API's description has it. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** Path as routes are written: `/api/runs/:id`. The table of access has the role that it needs. */
  readonly path: AccessOf<'GET'> | AccessOf<'POST'>;
  /** Name of the operation in generated clients. */
  readonly id: string;
  readonly tag: 'runs' | 'views' | 'control' | 'chat' | 'server';
  readonly summary: string;
  readonly query?: readonly Parameter[];
  readonly headers?: readonly Parameter[];
  /** JSON Schema of the body, the one that is checked. */
  readonly body?: JsonObject;
  /** Successful answers, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Error statuses besides those every request may get. */
  readonly errors?: readonly ErrorStatus[];
}

/** A value in the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description: string;
  readonly required?: boolean;
}

/** Content of an answer; JSON by default. */
export interface Answer {
  readonly description: string;
  readonly schema?: JsonObject;
  readonly type?: string;
}

/** Descriptions of error statuses. */
export const errorWords = {
  400: 'The request is invalid; the message says what is wrong and what is allowed.',
  401: 'The server asks for a token.',
  403: 'The request names another host, comes from another origin, tries to change something on a read-only server, or needs another role.',
  404: 'No such run, turn, agent, module or pending request.',
  409: 'The run has ended, or another process advances it and does not answer.',
  413: 'The body is too long.',
  415: 'The body is not declared as application/json.',
  422: 'The profile, the model or the arguments cannot be used.',
  500: 'A fault of the server or of its journal.',
  503: 'The server is closing, or has too many readers of events (`SERVER_BUSY`, with `Retry-After`).',
} as const;

/** HTTP status of an error. */
export type ErrorStatus = keyof typeof errorWords;

/** Schema of every error answer. */
export const errorSchema: JsonObject = named('Error');
