import type { JsonObject } from '../../core/json.ts';
import { named } from './schema-record.ts';

/** One request that the server answers, as the API's description has it. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** As routes are written: `/api/runs/:id`. */
  readonly path: string;
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly tag: 'runs' | 'views' | 'control' | 'chat' | 'server';
  readonly summary: string;
  readonly query?: readonly Parameter[];
  readonly headers?: readonly Parameter[];
  /** The schema of the JSON body, the one that is checked. */
  readonly body?: JsonObject;
  /** What is answered when all is well, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of errors besides those every request may get. */
  readonly errors?: readonly ErrorStatus[];
}

/** A value in the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description: string;
  readonly required?: boolean;
}

/** What an answer holds; JSON unless it says otherwise. */
export interface Answer {
  readonly description: string;
  readonly schema?: JsonObject;
  readonly type?: string;
}

/** What can be wrong with a request, by status. */
export const errorWords = {
  400: 'Something of the request is not allowed; the message says what is.',
  401: 'The server asks for a token.',
  403: 'The request is for another host, of another origin, or wants to change something on a server for reading.',
  404: 'There is no such run, turn, agent, module or pending request.',
  409: 'The run has ended, or another process has it and does not answer.',
  413: 'The body is too long.',
  415: 'The body is not declared as application/json.',
  422: 'The profile, the model or the arguments cannot be used.',
  500: 'A fault of the server or of its journal.',
  503: 'The server is being closed.',
} as const;

/** The status of an error. */
export type ErrorStatus = keyof typeof errorWords;

/** The schema of every answer that is an error. */
export const errorSchema: JsonObject = named('Error');
