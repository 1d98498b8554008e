const text = { type: 'string', minLength: 1 };
const closed = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const schema = { type: ['object', 'boolean'] };
const content = {
  type: 'object',
  propertyNames: { pattern: String.raw`^[a-z]+/[a-z0-9.+-]+$` },
  additionalProperties: closed({ schema }),
};
const parameter = closed(
  { name: text, in: { enum: ['path', 'query', 'header'] }, required: { type: 'boolean' }, description: text, schema },
  ['name', 'in', 'schema'],
);
const security = { type: 'array', items: { type: 'object', additionalProperties: { type: 'array', items: text } } };
const operation = closed(
  {
    security,
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
    tags: { type: 'array', items: text, minItems: 1 },
    summary: text,
    parameters: { type: 'array', items: parameter },
    requestBody: closed({ required: { type: 'boolean' }, content }, ['content']),
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[1-5][0-9][0-9]$' },
      additionalProperties: closed({ description: text, content }, ['description']),
    },
  },
  ['operationId', 'responses'],
);

/** JSON Schema of the subset of OpenAPI 3.1 that the document may use. */
export const openapiShape = closed(
  {
    openapi: { type: 'string', pattern: String.raw`^3\.1\.\d+$` },
    info: closed({ title: text, version: text, description: text, license: closed({ name: text, identifier: text }, ['name']) }, [
      'title',
      'version',
    ]),
    jsonSchemaDialect: { const: 'https://json-schema.org/draft/2020-12/schema' },
    servers: { type: 'array', items: closed({ url: text }, ['url']) },
    security,
    tags: { type: 'array', items: closed({ name: text, description: text }, ['name']) },
    paths: {
      type: 'object',
      propertyNames: { pattern: String.raw`^/[\w{}./-]*$` },
      additionalProperties: closed({ get: operation, post: operation }),
    },
    components: closed({
      schemas: { type: 'object', propertyNames: { pattern: String.raw`^[\w.-]+$` }, additionalProperties: schema },
      securitySchemes: {
        type: 'object',
        additionalProperties: {
          oneOf: [
            closed({ type: { const: 'http' }, scheme: { const: 'bearer' } }, ['type', 'scheme']),
            closed({ type: { const: 'apiKey' }, in: { const: 'cookie' }, name: text, description: text }, ['type', 'in', 'name']),
          ],
        },
      },
    }),
  },
  ['openapi', 'info', 'paths'],
);
