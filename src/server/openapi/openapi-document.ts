import type { JsonObject } from '../../core/json.ts';
import { type AccessName, accessOf, roleFor } from '../access/access-table.ts';
import { engineVersion } from '../../engine/version.ts';
import { compareSchemas } from './compare-schemas.ts';
import { type Answer, errorSchema, type ErrorStatus, errorWords, type Operation, type Parameter } from './operation.ts';
import { readingOperations } from './reading-operations.ts';
import { runSchemas } from './run-schemas.ts';
import { testSchemas } from './test-schemas.ts';
import { cardSchemas } from './card-schemas.ts';
import { viewSchemas } from './view-schemas.ts';
import { writingOperations } from './writing-operations.ts';

/** Every request that a server may answer. */
export const operations: readonly Operation[] = [...readingOperations, ...writingOperations];

/** Error statuses that any request may get. */
const always: readonly ErrorStatus[] = [400, 401, 403, 500, 503];

/** True when an app has a route: its method in lower case, and its path as routes are written. */
export type HasRoute = (method: string, path: string) => boolean;

/** Builds the OpenAPI 3.1 document for all operations that `hasRoute` accepts. */
export function openapiDocument(hasRoute: HasRoute, hasToken: boolean): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    if (!hasRoute(operation.method, operation.path)) continue;
    (paths[toTemplate(operation.path)] ??= {})[operation.method] = describe(operation, hasToken);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cadre',
      version: engineVersion,
      description: 'Runs of teams of LLM agents: launch them, watch them, talk with them, and see where every line came from.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/' }],
    security: hasToken ? [{ token: [] }, { session: [] }] : [],
    tags: [
      { name: 'runs', description: 'Runs in the journal, and their events.' },
      { name: 'views', description: 'Views of a run, as on the page and the command line.' },
      { name: 'control', description: 'Launching runs and acting on them, whichever process advances them.' },
      { name: 'chat', description: 'Protocols of other clients.' },
      { name: 'server', description: 'The server itself.' },
    ],
    paths,
    components: {
      schemas: { ...runSchemas, ...viewSchemas, ...cardSchemas, ...compareSchemas, ...testSchemas },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'cadre_PORT', description: 'Cookie set by opening /?token=… in a browser.' },
      },
    },
  };
}

function describe(
  { id, method, tag, summary, path, query = [], headers = [], body, answers, errors = [] }: Operation,
  hasToken: boolean,
): JsonObject {
  const name = `${method.toUpperCase()} ${path}` as AccessName;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: name === 'turnId' ? 'The id of a turn, whole.' : 'The id, whole.',
  }));
  const statuses = [
    ...always,
    ...(inPath.length > 0 ? [404 as const] : []),
    ...(body === undefined ? [] : [413 as const, 415 as const]),
    ...errors,
  ];
  const refused = [...new Set(statuses)].map((status) => [
    status,
    toAnswer({
      description: status === 403 ? `${errorWords[status]} ${roleWords(name)}` : errorWords[status],
      schema: errorSchema,
    }),
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    // Roles of a bearer token, as OpenAPI names them.
    ...(hasToken ? { security: [{ token: [roleFor(name)] }, { session: [roleFor(name)] }] } : {}),
    parameters: [...inPath, ...query.map((one) => toParameter(one, 'query')), ...headers.map((one) => toParameter(one, 'header'))],
    ...(body === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toAnswer(answer)])),
      ...(Object.fromEntries(refused) as JsonObject),
    },
  };
}

/** Describes the role that a request needs, and its parts that need another one. */
function roleWords(name: AccessName): string {
  const { role, parts = {} } = accessOf(name);
  const more = Object.entries(parts).map(([part, needed]) => `, ${part} the role ${needed}`);
  return `It needs the role ${role}${more.join('')}.`;
}

function toParameter({ name, schema, description, required = false }: Parameter, place: 'query' | 'header'): JsonObject {
  return { name, in: place, required, description, schema };
}

function toAnswer({ description, schema, type = 'application/json' }: Answer): JsonObject {
  return { description, ...(schema === undefined ? {} : { content: { [type]: { schema } } }) };
}

function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
