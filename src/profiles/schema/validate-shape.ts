import { createRequire } from 'node:module';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { JsonSchema } from '../../core/json.ts';
import { ownCheck, type PlainCheck } from '../../core/tool/plain-schema.ts';
import type { Report } from '../report.ts';
import { toPlain, type MapNode, type SourceNode } from '../yaml/source-node.ts';
import { builtValidator } from './built-validators.ts';
import { shapeOptions, shapeSchemas, type ShapeKind } from './shape-schemas.ts';
import { toSchemaProblem, type SchemaProblem } from './schema-problem.ts';

/** Maximum number of deviations described per file; the first ones matter. */
const maxErrors = 100;

// Pure cache: keyed by a schema, which never changes.
const validators = new WeakMap<JsonSchema, ValidateFunction>();

// Pure cache: keyed by a schema, which never changes.
const checks = new WeakMap<JsonSchema, PlainCheck>();
const never: PlainCheck = () => false;

/** Loads Ajv with the first schema that no build compiled. */
const load = createRequire(import.meta.url);
// Pure cache: a compiler without schemas, made when it is first needed.
let ajv: Ajv | undefined;

/** Checks the shape of a file against the schema of its kind; reports every deviation at its place. */
export function validateShape(kind: ShapeKind, root: SourceNode, report: Report): root is MapNode {
  const start = root.at.start;
  if (root.kind !== 'map') {
    report.error('NOT_A_MAP', {
      at: root.at,
      message: 'the file must be a map of `key: value` lines',
      hint: start === 0 ? undefined : 'a profile needs at least `name:`',
    });
    return false;
  }
  if (!report.checksShape) return true;
  for (const problem of shapeProblems(kind, root))
    report.error(problem.code, { at: problem.at, message: problem.message, hint: problem.hint });
  return true;
}

/** Returns the deviations of a file from the schema of its kind. */
export function shapeProblems(kind: ShapeKind, root: MapNode): readonly SchemaProblem[] {
  const schema = shapeSchemas[kind];
  const fits = remembered(checks, schema, () => ownCheck(schema) ?? never);
  // A file that surely fits, as most do, needs no validator, which is large.
  return fits(toPlain(root)) ? [] : problemsOf(builtValidator(kind) ?? validatorOf(schema), root);
}

/** Returns the deviations of a map from a schema. */
export function schemaProblems(schema: JsonSchema, root: MapNode): readonly SchemaProblem[] {
  return problemsOf(validatorOf(schema), root);
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  return remembered(validators, schema, () => {
    ajv ??= new (load('ajv') as typeof import('ajv')).Ajv(shapeOptions satisfies Options);
    return ajv.compile(schema);
  });
}

function remembered<T>(known: WeakMap<JsonSchema, T>, schema: JsonSchema, make: () => T): T {
  const found = known.get(schema) ?? make();
  known.set(schema, found);
  return found;
}

function problemsOf(validate: ValidateFunction, root: MapNode): readonly SchemaProblem[] {
  if (validate(toPlain(root))) return [];
  const errors = (validate.errors ?? []).slice(0, maxErrors);
  const problems = errors.map((error) => toSchemaProblem(error, root)).filter((problem) => problem !== undefined);
  // An unknown key is reported once, not again by the schema of its kind.
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = `${problem.code} ${problem.at.file.path} ${problem.at.start}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
