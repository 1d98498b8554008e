import { type EntryKind, entryDefaults, entryGroups, type Visibility, visibleScopes } from '../../core/profile/visibility.ts';
import { childOf, type MapNode, type SourceNode } from '../yaml/source-node.ts';
import { asText, mapNode, readNumber, textItems } from './read-node.ts';

/** Compiles which history of other agents an agent sees; the shape was checked before. */
export function compileVisibility(policy: MapNode): Visibility | undefined {
  const node = childOf(policy, 'visibility');
  if (node === undefined || node.kind === 'scalar') return undefined;
  const scopes = node.kind === 'list' ? node.items.map((item) => asText(item)?.value) : namesBelow(node, 'show');
  const wanted = node.kind === 'list' ? [] : namesBelow(node, 'kinds').flatMap(kindsOf);
  const kinds = Object.entries(entryDefaults).flatMap(([name, usual]) => {
    const kind = name as EntryKind;
    if (wanted.length > 0 && !wanted.includes(kind)) return [];
    return [[kind, { last: bound(node, 'last', kind) ?? usual.last, chars: bound(node, 'chars', kind) ?? usual.chars }] as const];
  });
  return { show: new Set(visibleScopes.filter((scope) => scopes.includes(scope))), kinds: new Map(kinds) };
}

function namesBelow(node: MapNode, key: string): readonly string[] {
  return textItems(node, key).map(({ value }) => value);
}

function kindsOf(name: string): readonly string[] {
  return Object.hasOwn(entryGroups, name) ? (entryGroups[name] ?? []) : [name];
}

function bound(node: SourceNode, key: string, kind: EntryKind): number | undefined {
  return readNumber(node, key) ?? readNumber(mapNode(node, key), kind);
}
