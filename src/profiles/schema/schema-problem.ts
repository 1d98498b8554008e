import type { ErrorObject } from 'ajv';
import { closestName } from '../../core/expression/closest-name.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import { listNames, nameHint, quote } from '../wording.ts';
import { nodeAt, toPlain, type Place, type SourceNode } from '../yaml/source-node.ts';

/** Number of allowed keys listed beside a suggested one. */
const handful = 5;

/** Schema error in Cadre's words, at its place in the file. */
export interface SchemaProblem {
  readonly code: DiagnosticCode;
  readonly at: Place;
  readonly message: string;
  readonly hint?: string;
  readonly node: SourceNode;
  /** Violated rule, without the value that was found. */
  readonly rule: string;
  /** Allowed JSON types, for errors about types. */
  readonly types?: readonly string[];
}

/** Explains an ajv error as a problem of the file; undefined for errors that only repeat another one. */
export function toSchemaProblem(error: ErrorObject, root: SourceNode): SchemaProblem | undefined {
  const problem = describeError(error, root);
  return problem === undefined ? undefined : { rule: error.message ?? 'is not allowed', ...problem };
}

type Description = Omit<SchemaProblem, 'rule'>;

function describeError(error: ErrorObject, root: SourceNode): Description | undefined {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const node = nodeAt(root, path);
  const what = pathText(path);
  const schema = (error.parentSchema ?? {}) as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'if':
      return undefined;
    case 'additionalProperties':
      return unknownKey(error, node, { what, schema });
    case 'required':
      return missingKey(error, node, { path, schema });
    case 'type':
      return wrongType(error, node, { what, schema });
    case 'enum':
    case 'const':
      return notAllowed(error, node, { what, schema });
    case 'pattern':
      return {
        code: 'NOT_ALLOWED',
        at: node.at,
        node,
        message: `${what} is ${quote(toPlain(node))}, expected ${textOf(schema['x-expects']) ?? 'another form'}`,
      };
    case 'minItems': {
      const hint = textOf(schema['x-when-empty']);
      const found = hint === undefined ? (error.message ?? 'has too few items') : 'is an empty list';
      return { code: 'OUT_OF_RANGE', at: node.at, node, message: `${what} ${found}`, ...(hint === undefined ? {} : { hint }) };
    }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'maxItems':
      return {
        code: 'OUT_OF_RANGE',
        at: node.at,
        node,
        message: `${what} ${error.message ?? 'is out of range'}${node.kind === 'scalar' ? `, found ${quote(toPlain(node))}` : ''}`,
      };
    default:
      return { code: 'NOT_ALLOWED', at: node.at, node, message: `${what} ${error.message ?? 'is not allowed'}` };
  }
}

function unknownKey(
  error: ErrorObject,
  node: SourceNode,
  { what, schema }: { readonly what: string; readonly schema: Readonly<Record<string, unknown>> },
): Description {
  const key = String(error.params['additionalProperty']);
  const at = node.kind === 'map' ? (node.entries.get(key)?.keyAt ?? node.at) : node.at;
  const allowed = Object.keys(schema['properties'] ?? {});
  const mistakes = (schema['x-mistakes'] ?? {}) as Readonly<Record<string, string>>;
  const mistake = Object.hasOwn(mistakes, key) ? mistakes[key] : undefined;
  const owner = typeof schema['x-what'] === 'string' ? schema['x-what'] : what;
  const meant = mistake === undefined ? nameHint(key, allowed, 'allowed').replace(/allowed: .*$/, '') : `${mistake}; `;
  // With a suggestion, a few of the allowed keys are enough.
  const shown = meant === '' || allowed.length <= handful + 1 ? listAll(allowed) : someOf(allowed);
  const hint = `${meant}allowed: ${shown}`;
  return { code: 'UNKNOWN_KEY', at, node, message: `unknown key ${quote(key)} in ${owner}`, hint };
}

function missingKey(
  error: ErrorObject,
  node: SourceNode,
  { path, schema }: { readonly path: readonly string[]; readonly schema: Readonly<Record<string, unknown>> },
): Description {
  const key = String(error.params['missingProperty']);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, { readonly description?: string }>>;
  const description = properties[key]?.description;
  const present = node.kind === 'map' ? [...node.entries.keys()] : [];
  const meant = closestName(
    key,
    present.filter((name) => !Object.hasOwn(properties, name)),
  );
  const owner = path.length === 0 ? (textOf(schema['x-what']) ?? 'the file') : pathText(path);
  const hint = meant === undefined ? description : `${quote(meant)} was probably meant to be ${quote(key)}`;
  return {
    code: 'MISSING_KEY',
    at: node.at,
    node,
    message: `${quote(key)} is missing in ${owner}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

function wrongType(
  error: ErrorObject,
  node: SourceNode,
  { what, schema }: { readonly what: string; readonly schema: Readonly<Record<string, unknown>> },
): Description {
  const wanted = [error.params['type']].flat().map(String);
  const expects =
    typeof schema['x-expects'] === 'string' && wanted.includes('object') ? schema['x-expects'] : wanted.map(typeName).join(' or ');
  const base = { code: 'WRONG_TYPE' as const, at: node.at, node, types: wanted };
  if (schema['x-secret'] === true) {
    return {
      ...base,
      code: 'SECRET_IN_FILE',
      message: `${what} must be ${expects}`,
      hint: 'never write a key into a file: remove it, and replace it where it was issued',
    };
  }
  const found = describe(node);
  const hint = wanted.includes('string') ? quoteHint(node) : typeHint(node, wanted);
  return { ...base, message: `${what} must be ${expects}, found ${found}`, ...(hint === undefined ? {} : { hint }) };
}

function quoteHint(node: SourceNode): string | undefined {
  if (node.kind === 'map' && node.at.file.text.startsWith('{{', node.at.start)) {
    return 'an unquoted `{{ … }}` is a YAML map; quote the whole text';
  }
  if (node.kind !== 'scalar') return undefined;
  if (node.value === null && node.written === '') return 'write the text after the colon, or remove the key';
  return `quote it: '${node.written}'`;
}

function typeHint(node: SourceNode, wanted: readonly string[]): string | undefined {
  if (node.kind !== 'scalar') return undefined;
  if (wanted.includes('boolean') && /^(?:yes|on|y)$/i.test(node.written)) return 'write true';
  if (wanted.includes('boolean') && /^(?:no|off|n)$/i.test(node.written)) return 'write false';
  if (wanted.includes('array')) return 'write a list: [a, b], or one `- item` per line';
  const isNumeric = wanted.includes('number') || wanted.includes('integer');
  if (isNumeric && typeof node.value === 'string' && node.written.trim() !== '' && Number.isFinite(Number(node.written)))
    return `remove the quotes: ${node.written}`;
  if (wanted.includes('object')) return 'write `key: value` lines, indented below it';
  return undefined;
}

function notAllowed(
  error: ErrorObject,
  node: SourceNode,
  { what, schema }: { readonly what: string; readonly schema: Readonly<Record<string, unknown>> },
): Description {
  const allowed = (
    error.keyword === 'const' ? [error.params['allowedValue']] : (error.params['allowedValues'] as readonly unknown[])
  ).map(String);
  const value = toPlain(node);
  const elsewhere = (schema['x-elsewhere'] ?? {}) as Readonly<Record<string, string>>;
  const mistake = typeof value === 'string' && Object.hasOwn(elsewhere, value) ? elsewhere[value] : undefined;
  const meant = typeof value === 'string' ? closestName(value, allowed) : undefined;
  const hint = mistake ?? (meant === undefined ? undefined : `did you mean ${quote(meant)}?`);
  const message = `${what} is ${node.kind === 'scalar' ? quote(value) : describe(node)}, allowed: ${listAll(allowed)}`;
  return { code: 'NOT_ALLOWED', at: node.at, node, message, ...(hint === undefined ? {} : { hint }) };
}

function someOf(names: readonly string[]): string {
  return `${names.slice(0, handful).join(', ')}, … (${names.length} in all)`;
}

function listAll(names: readonly string[]): string {
  return names.length <= 48 ? names.join(', ') : listNames(names);
}

function typeName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map',
    null: 'null',
  };
  return names[type] ?? type;
}

function describe(node: SourceNode): string {
  switch (node.kind) {
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'scalar':
      if (node.value === null) return node.written === '' ? 'nothing' : 'null';
      return `the ${typeof node.value === 'string' ? 'text' : typeof node.value} ${quote(node.written)}`;
  }
}

/** Formats a path for messages: `flow_decider[2].action.type`, or `the file`. */
export function pathText(path: readonly string[]): string {
  if (path.length === 0) return 'the file';
  return `\`${path.map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')}\``;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
