import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MapEntry, Place, ScalarStyle, SourceNode } from './source-node.ts';
import type { SourceText } from './source-text.ts';

/** A parsed text without its file: kind, start and end, then what its kind has. */
export type PackedNode =
  | readonly [
      kind: 'scalar',
      start: number,
      end: number,
      value: string | number | boolean | null,
      style: ScalarStyle,
      written: string,
    ]
  | readonly [kind: 'list', start: number, end: number, items: readonly PackedNode[]]
  | readonly [kind: 'map', start: number, end: number, entries: readonly (readonly [string, number, number, PackedNode])[]];

/** What the build found out about a text: its nodes and, for one that is a script, whether it has no problem. */
export interface PackedText {
  readonly node: PackedNode;
  readonly isGoodScript?: true;
}

/** Folder of what the build wrote: a file for each text, named by its key. */
const parsedFolder = join(import.meta.dirname, 'parsed');
// Pure cache: names of the files in it; none from source, where no build wrote any.
let parsed: ReadonlySet<string> | undefined;
// Pure cache: roots of scripts that the build checked.
const goodScripts = new WeakSet<SourceNode>();

/**
 * Returns the nodes of a text that the build parsed (`scripts/build-bundle.mjs`): the files of the bundled teams, as long as they have that
 * text. Undefined for all others, and when running from source.
 */
export function parsedBefore(file: SourceText): SourceNode | undefined {
  parsed ??= new Set(existsSync(parsedFolder) ? readdirSync(parsedFolder) : []);
  const name = parsed.size === 0 ? '' : parsedName(file.text);
  if (!parsed.has(name)) return undefined;
  const found = JSON.parse(readFileSync(join(parsedFolder, name), 'utf8')) as PackedText;
  const root = unpack(found.node, file);
  if (found.isGoodScript === true) goodScripts.add(root);
  return root;
}

/** True for the root of a script that the build found without a problem: of the same text, with the same code. */
export function isGoodScript(root: SourceNode): boolean {
  return goodScripts.has(root);
}

/** Returns the name of the file for a text. */
export function parsedName(text: string): string {
  return `${hash('sha256', text)}.json`;
}

/** Returns nodes without their file. A text that holds an alias has a node in two places, and is not packed. */
export function packNode(node: SourceNode): PackedNode {
  const { start, end } = node.at;
  switch (node.kind) {
    case 'scalar':
      return ['scalar', start, end, node.value, node.style, node.written];
    case 'list':
      return ['list', start, end, node.items.map(packNode)];
    case 'map':
      return [
        'map',
        start,
        end,
        [...node.entries].map(([key, { keyAt, value }]) => [key, keyAt.start, keyAt.end, packNode(value)]),
      ];
  }
}

function unpack(packed: PackedNode, file: SourceText): SourceNode {
  const at: Place = { file, start: packed[1], end: packed[2] };
  switch (packed[0]) {
    case 'scalar':
      return { kind: 'scalar', at, value: packed[3], style: packed[4], written: packed[5] };
    case 'list':
      return { kind: 'list', at, items: packed[3].map((item) => unpack(item, file)) };
    case 'map': {
      const entries = new Map<string, MapEntry>();
      for (const [key, start, end, value] of packed[3])
        entries.set(key, { keyAt: { file, start, end }, value: unpack(value, file) });
      return { kind: 'map', at, entries };
    }
  }
}
