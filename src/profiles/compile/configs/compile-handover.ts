import { agentRoots } from '../../../core/expression/agent-roots.ts';
import type { ExpressionRoots } from '../../../core/expression/expression.ts';
import type { HandoverProtocol, InheritanceRule } from '../../../core/profile/profile.ts';
import type { Report } from '../../report.ts';
import { nameHint, quote } from '../../wording.ts';
import { childOf, toPlainObject, type MapNode } from '../../yaml/source-node.ts';
import { checkJsonSchema } from '../checks/check-json-schema.ts';
import { checkPath } from '../checks/check-path.ts';
import { compileCondition } from '../compile-text.ts';
import { asText, mapItems, mapNode, readObject, readText, readTextMap, textNode } from '../read-node.ts';

/** Roots that paths and conditions of a protocol read: those of the caller, and `params`, its handover parameters. */
const protocolRoots: ExpressionRoots = { ...agentRoots, params: { kind: 'open' } };

const noParameters = { type: 'object', properties: {} } as const;

/** Compiles a handover protocol. */
export function compileHandoverProtocol(report: Report, node: MapNode, name: string): HandoverProtocol {
  const parameters = mapNode(node, 'context_parameters');
  if (parameters !== undefined) checkJsonSchema(report, parameters, { what: 'context_parameters' });
  const payloadKeys = new Set<string>();
  return {
    name,
    version: readText(node, 'version') ?? '1',
    description: readText(node, 'description') ?? '',
    contextParameters: parameters === undefined ? noParameters : toPlainObject(parameters),
    inheritance: mapItems(node, 'inheritance').flatMap((rule) => compileRule(report, rule, payloadKeys)),
    targetSource: readText(childOf(node, 'target_inbox_item'), 'source') ?? 'AGENT_STARTUP_BRIEFING',
    source: node.at.file.refAt(node.at.start),
  };
}

function compileRule(report: Report, node: MapNode, payloadKeys: Set<string>): readonly InheritanceRule[] {
  const from = childOf(node, 'from_source');
  const key = textNode(node, 'as_payload_key');
  if (from?.kind !== 'map' || key === undefined) return [];
  if (payloadKeys.has(key.value))
    report.error('DUPLICATE_ID', {
      at: key.at,
      message: `a second inheritance rule for the payload key ${quote(key.value)}`,
      hint: 'give each rule its own key',
    });
  payloadKeys.add(key.value);
  const path = textNode(from, 'path');
  const pathToIterate = textNode(from, 'path_to_iterate');
  const replace = readTextMap(mapNode(from, 'replace'));
  const iterateOn = readTextMap(mapNode(from, 'iterate_on'));
  checkSource(report, from, {
    hasPath: path !== undefined,
    iterates: pathToIterate !== undefined,
    hasIterateOn: iterateOn !== undefined,
  });
  for (const template of [path, pathToIterate]) {
    if (template === undefined) continue;
    checkPath(report, template, protocolRoots);
    checkVariables(report, template, [
      ...Object.keys(replace ?? {}),
      ...(template === pathToIterate ? Object.keys(iterateOn ?? {}) : []),
    ]);
  }
  for (const variables of [mapNode(from, 'replace'), mapNode(from, 'iterate_on')]) {
    for (const entry of variables?.entries.values() ?? []) {
      const variablePath = asText(entry.value);
      if (variablePath !== undefined) checkPath(report, variablePath, protocolRoots);
    }
  }
  const condition = compileCondition(report, node, { roots: protocolRoots });
  const title = readText(node, 'x-handover-title');
  const schema = readObject(node, 'schema');
  return [
    {
      payloadKey: key.value,
      ...(path === undefined ? {} : { path: path.value }),
      ...(replace === undefined ? {} : { replace }),
      ...(pathToIterate === undefined ? {} : { pathToIterate: pathToIterate.value }),
      ...(iterateOn === undefined ? {} : { iterateOn }),
      ...(title === undefined ? {} : { title }),
      ...(schema === undefined ? {} : { schema }),
      ...(condition === undefined ? {} : { condition }),
    },
  ];
}

function checkSource(
  report: Report,
  from: MapNode,
  { hasPath, iterates, hasIterateOn }: { readonly hasPath: boolean; readonly iterates: boolean; readonly hasIterateOn: boolean },
): void {
  if (hasPath === iterates) {
    const message = hasPath ? 'from_source has both `path` and `path_to_iterate`' : 'from_source needs `path` or `path_to_iterate`';
    report.error(hasPath ? 'NOT_ALLOWED' : 'MISSING_KEY', { at: from.at, message, hint: 'keep one of them' });
  }
  if (iterates && !hasIterateOn)
    report.error('MISSING_KEY', {
      at: from.at,
      message: '`path_to_iterate` needs `iterate_on`',
      hint: 'for example iterate_on: { id: params.inherit_from }',
    });
}

function checkVariables(report: Report, template: Parameters<typeof checkPath>[1], declared: readonly string[]): void {
  for (const match of template.value.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
    const variable = match[1] ?? '';
    if (declared.includes(variable)) continue;
    report.errorInText('BAD_TEMPLATE', {
      node: template,
      offset: match.index,
      message: `the variable ${quote(variable)} is declared neither in replace nor in iterate_on`,
      hint: nameHint(variable, declared, 'declared'),
    });
  }
}
