import type { JsonObject } from '../../../core/json.ts';
import type { Report } from '../../report.ts';
import { quote } from '../../wording.ts';
import { nodeAt, toPlainObject, type MapNode } from '../../yaml/source-node.ts';
import { schemaFaults } from './deliverables-check.ts';

/** Checks that a JSON Schema in a file is valid and, unless `anyType` is set, describes an object. */
export function checkJsonSchema(
  report: Report,
  node: MapNode,
  { what, anyType = false }: { readonly what: string; readonly anyType?: boolean },
): void {
  if (!report.checksShape) return;
  const schema: JsonObject = toPlainObject(node);
  const { type } = schema;
  if (!anyType && type !== undefined && type !== 'object') {
    report.error('BAD_SCHEMA', {
      at: nodeAt(node, ['type']).at,
      message: `${what} must describe an object, its type is ${quote(type)}`,
      hint: 'write type: object',
    });
  }
  for (const { path, message } of schemaFaults(schema)) {
    report.error('BAD_SCHEMA', {
      at: nodeAt(node, path).at,
      message: `${what} is not a valid JSON Schema: ${path.length === 0 ? '' : `${quote(path.join('.'))} `}${message}`,
    });
  }
}
