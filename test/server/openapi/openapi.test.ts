import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { FolderTests } from '../../../src/cli/dev/folder-tests.ts';
import { bundledProfiles } from '../../../src/profiles/files/bundled-teams.ts';
import { createServerApp } from '../../../src/server/index.ts';
import { type AccessName, roleFor } from '../../../src/server/access/access-table.ts';
import { operations } from '../../../src/server/openapi/openapi-document.ts';
import { tool } from '../../support/tools.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { closeAfter, servedTeam, type ServedTeam } from '../http/served-team.ts';
import { openapiShape } from './openapi-shape.ts';

interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  readonly operationId: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Pages and their files are not part of the API. */
const pages = new Set(['/', '/index.html', '/assets/:name', '*', '/*']);

let document: Document;
/** Validator of the named schemas. */
let ajv: Ajv2020;

beforeAll(async () => {
  const { engine } = await testEngine();
  const response = await createServerApp(engine).request('/api/openapi.json', { headers: { host: 'localhost' } });
  document = (await response.json()) as Document;
  await engine.close();
  ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true });
  // OpenAPI's own keyword.
  ajv.addKeyword('discriminator');
  ajv.addSchema({ $id: 'doc', $defs: toLocal(document.components.schemas, '#') });
});

describe('the description of the API', () => {
  it('is OpenAPI 3.1, and every schema in it can be used', () => {
    const check = ajv.compile(openapiShape);
    expect({ ok: check(document), errors: check.errors }).toEqual({ ok: true, errors: null });
    for (const name of Object.keys(document.components.schemas)) expect(ajv.getSchema(`doc#/$defs/${name}`)).toBeTypeOf('function');
    const ids = described().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of described()) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(inPath);
      for (const { content = {} } of Object.values(operation.responses))
        for (const { schema } of Object.values(content)) expect(compile(schema)).toBeTypeOf('function');
      if (operation.requestBody !== undefined)
        expect(compile(operation.requestBody.content['application/json'].schema)).toBeTypeOf('function');
    }
  });

  it('F85: says of every request which role it needs, from the table that is enforced', async () => {
    const { engine } = await testEngine();
    closeAfter(engine);
    const token = 'a-token-nobody-guesses';
    const headers = { host: 'localhost', authorization: `Bearer ${token}` };
    const response = await createServerApp(engine, { token }).request('/api/openapi.json', { headers });
    const told = (await response.json()) as Document;
    expect(ajv.compile(openapiShape)(told)).toBe(true);
    for (const { method, path } of operations) {
      const role = roleFor(`${method.toUpperCase()} ${path}` as AccessName);
      const operation = told.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
      expect(operation).toMatchObject({ security: [{ token: [role] }, { session: [role] }] });
      expect(operation?.responses['403']).toMatchObject({ description: expect.stringContaining(`It needs the role ${role}`) });
    }
  });

  it('has every request that is answered, and no other', async () => {
    const { engine } = await testEngine();
    closeAfter(engine);
    const answered = createServerApp(engine)
      .routes.filter(({ method, path }) => method !== 'ALL' && !pages.has(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    const told = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    expect(answered.filter((route) => !told.has(route))).toEqual([]);
    expect(
      described()
        .map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
        .toSorted(),
    ).toEqual([...new Set(answered)].toSorted());
  });

  it('[D1.25] says what is answered: real answers hold what it says, and nothing else', async () => {
    using tests = new FolderTests({ folder: bundledProfiles, store: undefined, isFollowing: false });
    const team = await servedTeam(paying, { tests });
    const launched = await post(team, '/api/runs', { input: 'Pay.' }, 'launchRun', 201);
    const runId = String(launched['runId']);
    const run = await team.engine.open(runId);
    await run.settled();
    await post(team, `/api/runs/${runId}/approve`, { ids: run.pending.map(({ id }) => id) }, 'approveRun', 200);
    await run.settled();
    await post(team, `/api/runs/${runId}/messages`, { text: 'And now?' }, 'sendMessage', 202);
    await run.settled();
    const turns = run.turns();
    const seen: string[] = [];
    for (const { method, path, operation } of described()) {
      const ok = operation.responses['200']?.content?.['application/json'];
      if (method !== 'get' || ok === undefined) continue;
      const asked = new URL(path.replace('{id}', runId).replace('{turnId}', turns[0]?.turnId ?? ''), team.served.url);
      const values: Readonly<Record<string, string>> = {
        text: 'paid',
        before: turns[0]?.turnId ?? '',
        after: turns[1]?.turnId ?? '',
        hash: run.state.meta.profiles,
      };
      for (const { name, required } of operation.parameters)
        if (required && name in values) asked.searchParams.set(name, values[name] ?? '');
      if (operation.parameters.some(({ name }) => name === 'run'))
        for (const id of [runId, runId]) asked.searchParams.append('run', id);
      const response = await fetch(asked);
      const body: unknown = await response.json();
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const check = compile(ok.schema);
      expect({ path, ok: check(body), errors: check.errors }).toEqual({ path, ok: true, errors: null });
      seen.push(operation.operationId);
    }
    expect(seen).toEqual(expect.arrayContaining(['getInfo', 'listRuns', 'getRun']));
    await post(team, `/api/runs/${runId}/fork`, {}, 'forkRun', 201);
    await post(team, `/api/runs/${runId}/resume`, {}, 'resumeRun', 200);
    await post(
      team,
      `/api/runs/${runId}/profiles`,
      { edits: [{ update: 'Root', with: { instructions: 'Be kind.' } }] },
      'profilesRun',
      200,
    );
    await post(
      team,
      `/api/runs/${runId}/modules`,
      { actions: [{ action: 'create', name: 'a', description: 'b' }] },
      'modulesRun',
      200,
    );
    await post(team, `/api/runs/${runId}/cancel`, {}, 'cancelRun', 200);
    for (const [path, status] of [
      ['/api/runs/none', 404],
      ['/api/runs?limit=x', 400],
      ['/nothing', 404],
    ] as const) {
      const check = compile({ $ref: '#/components/schemas/Error' });
      expect({ path, ok: check(await team.get(path, status)), errors: check.errors }).toEqual({ path, ok: true, errors: null });
    }
  });
});

const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
  tools: [tool('pay', () => 'paid')],
  replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'It is paid.' }, { text: 'Now nothing.' }, { text: 'Nothing.' }],
};

function described(): readonly { readonly method: string; readonly path: string; readonly operation: Described }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

function compile(schema: object): ValidateFunction {
  return ajv.compile(toLocal(schema, 'doc#'));
}

function toLocal(schema: object, document: string): object {
  return JSON.parse(JSON.stringify(close(schema)).replaceAll('"#/components/schemas/', `"${document}/$defs/`)) as object;
}

/** Closes all records of a schema: an answer may contain only described fields. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, close(part)]));
  const isRecord = 'properties' in value && 'required' in value && !('additionalProperties' in value) && !isEvent(value);
  return isRecord ? { ...inner, additionalProperties: false } : inner;
}

/** True for events: each type has further fields. */
function isEvent(value: object): boolean {
  return 'description' in value && String(value.description).startsWith('An event of the journal');
}

async function post(
  { served }: ServedTeam,
  path: string,
  body: object,
  id: string,
  status: number,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(served.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  expect({ path, status: response.status, answer }).toMatchObject({ status });
  const schema = described().find(({ operation }) => operation.operationId === id)?.operation.responses[status]?.content;
  const check = compile(schema?.['application/json']?.schema ?? { not: {} });
  expect({ path, ok: check(answer), errors: check.errors }).toEqual({ path, ok: true, errors: null });
  return answer;
}
