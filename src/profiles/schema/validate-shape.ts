import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonSchema } from '../../core/json.ts';
import type { Report } from '../report.ts';
import { toPlain, type MapNode, type SourceNode } from '../yaml/source-node.ts';
import { handoverProtocolSchema } from './handover-protocol-schema.ts';
import { llmConfigSchema } from './llm-config-schema.ts';
import { pricesSchema } from './prices-schema.ts';
import { profileSchema } from './profile-schema.ts';
import { teamSchema } from './team-schema.ts';
import { toolsetSchema } from './toolset-schema.ts';
import { toSchemaProblem, type SchemaProblem } from './schema-problem.ts';

/** Kinds of files whose shape a schema describes. */
export type ShapeKind = 'profile' | 'llm_config' | 'handover_protocol' | 'toolset' | 'team' | 'prices';

const schemas: Readonly<Record<ShapeKind, JsonSchema>> = {
  profile: profileSchema,
  llm_config: llmConfigSchema,
  handover_protocol: handoverProtocolSchema,
  toolset: toolsetSchema,
  team: teamSchema,
  prices: pricesSchema,
};

/** Maximum number of deviations described per file; the first ones matter. */
const maxErrors = 100;

// Optimizing the generated code costs more than it saves: a load validates a few dozen files.
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  validateSchema: false,
  logger: false,
  inlineRefs: false,
  code: { optimize: false },
});
// Pure cache: keyed by a schema, which never changes.
const validators = new WeakMap<JsonSchema, ValidateFunction>();

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
  return schemaProblems(schemas[kind], root);
}

/** Returns the deviations of a map from a schema. */
export function schemaProblems(schema: JsonSchema, root: MapNode): readonly SchemaProblem[] {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    validators.set(schema, validate);
  }
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
