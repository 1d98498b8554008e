import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { ownCheck, plainCheck } from '../../src/core/tool/plain-schema.ts';
import { isTestFile } from '../../src/profiles/files/test-file-names.ts';
import { parseYaml } from '../../src/profiles/yaml/parse-yaml.ts';
import { SourceText } from '../../src/profiles/yaml/source-text.ts';
import { parseProfileFiles } from '../../src/profiles/files/parse-profile-files.ts';
import { Report } from '../../src/profiles/report.ts';
import { shapeOptions, shapeSchemas, type ShapeKind } from '../../src/profiles/schema/shape-schemas.ts';
import { toPlain } from '../../src/profiles/yaml/source-node.ts';
import { builtInToolsets } from '../../src/engine/toolsets/toolset-kinds.ts';

const names = ['a', 'b', 'long name', '__proto__', 'constructor', '😀'];
const numbers = [0, -0, 1, 2, 3.5, -1, 1e21];
const texts = ['', 'a', 'b', '😀', '😀😀', 'aa', '\ud800'];
const primitive = fc.constantFrom<JsonValue[]>(null, true, false, ...numbers, ...texts);

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.constantFrom(...texts), { maxLength: 3 }),
    objectOf(tie('value')),
  ),
}));

function objectOf<T extends JsonValue>(of: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> {
  // As JSON text gives it: `__proto__` is a field like others.
  return fc
    .array(fc.tuple(fc.constantFrom(...names), of), { maxLength: 4 })
    .map(
      (entries) =>
        JSON.parse(`{${entries.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`).join()}}`) as JsonObject,
    );
}

/** Schemas of all keywords that are plain, some that are not, some with values they must not have. */
const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const inner = fc.oneof({ maxDepth: 3 }, fc.constantFrom<JsonValue[]>(true, {}), tie('schema'));
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
  const limit = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(0, 1, 2, 3) },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue[]>(-1, 1.5, 'a') },
  );
  const keywords: Record<string, fc.Arbitrary<JsonValue>> = {
    type: fc.oneof(type, fc.array(type, { maxLength: 3 }), fc.constant('text')),
    enum: fc.array(primitive, { maxLength: 4 }),
    const: fc.oneof(primitive, value),
    minimum: fc.constantFrom(...numbers),
    maximum: fc.constantFrom(...numbers),
    exclusiveMinimum: fc.constantFrom<JsonValue[]>(...numbers, true),
    exclusiveMaximum: fc.constantFrom(...numbers),
    minLength: limit,
    maxLength: limit,
    minItems: limit,
    maxItems: limit,
    minProperties: limit,
    maxProperties: limit,
    items: fc.oneof(inner, fc.array(inner, { maxLength: 2 })),
    uniqueItems: fc.constantFrom<JsonValue[]>(true, false, 1),
    required: fc.array(fc.constantFrom(...names), { maxLength: 3 }),
    properties: objectOf(inner),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    anyOf: fc.array(inner, { maxLength: 3 }),
    allOf: fc.array(inner, { maxLength: 3 }),
    oneOf: fc.array(inner, { maxLength: 3 }),
    not: inner,
    if: inner,
    then: inner,
    else: inner,
    pattern: fc.constantFrom('^a', '('),
    patternProperties: fc.constant({ '^a': false }),
    title: fc.constantFrom<JsonValue[]>('A', 1),
    examples: fc.constantFrom<JsonValue[]>([], 'a'),
    'x-title': value,
    format: fc.constantFrom<JsonValue[]>('email', 1),
  };
  const keyword = fc.oneof(...Object.entries(keywords).map(([key, of]) => fc.tuple(fc.constant(key), of)));
  return { schema: fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries)) };
});

const options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
} as const;
const validators = [new Ajv(options), new Ajv2020(options)];

/** How many values each check said yes to; fails when it is not plain after all, or Ajv disagrees. */
function yesOf(of: JsonObject, values: readonly JsonValue[]): number | undefined {
  const check = plainCheck(of);
  if (check === undefined) return undefined;
  const yes = values.filter((each) => check(each));
  for (const ajv of validators) {
    expect(ajv.validateSchema(of), `${JSON.stringify(of)} is no schema: ${ajv.errorsText()}`).toBe(true);
    const validate = ajv.compile(of);
    for (const each of yes) expect(validate(each), `${JSON.stringify(of)} ${JSON.stringify(each)}`).toBe(true);
    ajv.removeSchema(of);
  }
  return yes.length;
}

it('a plain schema is valid in each draft, and no value passes that Ajv rejects', () => {
  let [plain, yes] = [0, 0];
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 8, maxLength: 8 }), (of, values) => {
      const said = yesOf(of as JsonObject, values);
      plain += said === undefined ? 0 : 1;
      yes += said ?? 0;
    }),
    { numRuns: 1500 },
  );
  expect(plain).toBeGreaterThan(300);
  expect(yes).toBeGreaterThan(300);
});

it('says yes to arguments that fit, and leaves those that do not to Ajv', () => {
  const check = plainCheck({
    type: 'object',
    required: ['path'],
    additionalProperties: false,
    properties: { path: { type: 'string', minLength: 1 }, lines: { type: ['integer', 'null'], minimum: 1 } },
  });
  expect(check?.({ path: 'a', lines: 3 })).toBe(true);
  for (const wrong of [{}, { path: '' }, { path: 'a', lines: 0 }, { path: 'a', other: 1 }, null, []])
    expect(check?.(wrong)).toBe(false);
});

it('is no check of schemas that are not plain, or too large to tell', () => {
  for (const of of [
    { $ref: '#' },
    { pattern: '^a' },
    { oneOf: [{}] },
    { type: 'text' },
    { $id: 'a' },
    { 'x-cadre-step': true },
    { properties: { constructor: {} } },
  ])
    expect(plainCheck(of)).toBeUndefined();
  expect(plainCheck({ anyOf: Array.from({ length: 3_000 }, () => ({})) })).toBeUndefined();
  const deep = Array.from({ length: 30 }).reduce<JsonObject>((items) => ({ items }), {});
  expect(plainCheck(deep)).toBeUndefined();
});

it('most tools of Cadre have plain schemas, which Ajv takes', async () => {
  const kinds = await Promise.all(
    Object.entries(builtInToolsets)
      .filter(([name]) => !['mcp', 'module'].includes(name))
      .map(async ([name, { load }]) => [name, await load()] as const),
  );
  const tools = kinds.flatMap(([name, kind]) => {
    const made = kind.create({ name, settings: {}, toolName: (tool: string) => tool } as never);
    return 'tools' in made ? (made.tools as readonly { parameters: JsonObject }[]) : [];
  });
  const said = tools.map(({ parameters }) => yesOf(parameters, fc.sample(value, { numRuns: 50, seed: 1 })));
  expect(tools.length).toBeGreaterThan(20);
  expect(said.filter((yes) => yes !== undefined).length).toBeGreaterThan(tools.length * 0.6);
});

it("says yes to the files of the bundled teams, and to no change of them that Cadre's own schemas reject", () => {
  const teams = path.join(import.meta.dirname, '..', '..', 'agent_profiles');
  const files = globSync('**/*.yaml', { cwd: teams }).map((name) => ({
    path: name,
    text: readFileSync(path.join(teams, name), 'utf8'),
  }));
  const { roots } = parseProfileFiles(files, new Report());
  const tests = files.flatMap(({ path: file, text }) => {
    const root = isTestFile(file) ? parseYaml(new SourceText(file, text), new Report()) : undefined;
    return root?.kind === 'map' ? [root] : [];
  });
  const ajv = new Ajv(shapeOptions);
  let [whole, changed, rejected] = [0, 0, 0];
  for (const kind of Object.keys(shapeSchemas) as ShapeKind[]) {
    const check = ownCheck(shapeSchemas[kind]);
    expect(check, kind).toBeDefined();
    const validate = ajv.compile(shapeSchemas[kind]);
    for (const root of kind === 'prices' || kind === 'eval' ? [] : kind === 'test' ? tests : roots[kind]) {
      const plain = toPlain(root) as JsonObject;
      expect(check?.(plain), root.at.file.path).toBe(validate(plain));
      whole += 1;
      fc.assert(
        fc.property(fc.infiniteStream(fc.nat(1_000)), value, fc.constantFrom(...names), (picks, other, name) => {
          const given = mutated(plain, picks, other, name);
          const fits = validate(given);
          changed += 1;
          rejected += fits ? 0 : 1;
          expect(check?.(given), JSON.stringify(given)).toBe(fits);
        }),
        { numRuns: 60 },
      );
    }
  }
  expect(whole).toBeGreaterThan(30);
  expect(rejected).toBeGreaterThan(changed / 10);
  expect(rejected).toBeLessThan(changed);
});

/** The value with another one somewhere inside it, or with a key more. */
function mutated(from: JsonValue, picks: Iterator<number>, other: JsonValue, name: string): JsonValue {
  const pick = (of: number): number => Number(picks.next().value) % of;
  if (Array.isArray(from) && from.length > 0 && pick(6) > 0) {
    const index = pick(from.length);
    return from.map((each: JsonValue, at) => (at === index ? mutated(each, picks, other, name) : each));
  }
  if (typeof from !== 'object' || from === null || Array.isArray(from) || pick(8) === 0) return other;
  const keys = Object.keys(from);
  if (pick(8) === 0 || keys.length === 0) return { ...from, [name]: other };
  const key = keys[pick(keys.length)] ?? '';
  if (pick(8) === 0) return Object.fromEntries(Object.entries(from).filter(([each]) => each !== key)) as JsonObject;
  return { ...from, [key]: mutated((from as JsonObject)[key] ?? null, picks, other, name) };
}
