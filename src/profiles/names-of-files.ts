import type { ProfileFile } from '../core/profile/profile.ts';
import { parseProfileFiles } from './files/parse-profile-files.ts';
import { Report } from './report.ts';
import type { NameKind } from './schema/schema-parts.ts';
import { childOf, type MapNode, type SourceNode } from './yaml/source-node.ts';

/** Names declared in profile files, and toolsets with their kinds. */
export interface NamesOfFiles {
  readonly names: Readonly<Record<Exclude<NameKind, 'ingestors' | 'observers' | 'teams'>, ReadonlyMap<string, string>>>;
  readonly toolsetKinds: ReadonlyMap<string, string>;
}

/** Maximum length of a description. */
const maxWords = 200;

/** Collects the names in profile files, even in files with errors: editors ask while a file is being written. */
export function namesOfFiles(files: readonly ProfileFile[]): NamesOfFiles {
  const { roots } = parseProfileFiles(files, new Report({ checksShape: false }));
  const exposed = roots.profile.flatMap((root) => childOf(root, 'exposable_as_tool') ?? []);
  const sources = new Set([...roots.profile, ...roots.handover_protocol].flatMap(sourcesIn));
  return {
    names: {
      profiles: named(roots.profile, 'name', 'description_for_human'),
      llm_configs: named(roots.llm_config, 'name', 'description_for_human'),
      handover_protocols: named(roots.handover_protocol, 'protocol_name', 'description'),
      tools: named(exposed, 'name', 'description'),
      toolsets: named(roots.toolset, 'name', 'description_for_human'),
      sources: new Map([...sources].map((source) => [source, ''])),
      state_paths: new Map(roots.profile.flatMap(pathsWrittenIn)),
      scripts: new Map(roots.script.map((root) => [inFolder(root.at.file.path), textAt(root, 'description')])),
    },
    toolsetKinds: new Map(
      roots.toolset.flatMap((root) => {
        const name = textAt(root, 'name');
        return name === '' ? [] : [[name, textAt(root, 'kind') || name] as const];
      }),
    ),
  };
}

function named(roots: readonly SourceNode[], key: string, about: string): ReadonlyMap<string, string> {
  return new Map(roots.flatMap((root) => (textAt(root, key) === '' ? [] : [[textAt(root, key), textAt(root, about)] as const])));
}

/** Returns the text of a key as one line, shortened; empty when absent. */
function textAt(root: SourceNode, key: string): string {
  const node = childOf(root, key);
  if (node?.kind !== 'scalar' || typeof node.value !== 'string') return '';
  const line = node.value.trim().replaceAll(/\s+/g, ' ');
  return line.length > maxWords ? `${line.slice(0, maxWords - 1)}…` : line;
}

/** Returns the path that files of the folder use to refer to a file: `scripts/offline.yaml`. */
function inFolder(file: string): string {
  return file.split('/').slice(1).join('/') || file;
}

/** Returns the inbox sources that a file mentions, including custom ones. */
function sourcesIn(root: MapNode): readonly string[] {
  const found: string[] = [];
  const visit = (part: SourceNode, key: string): void => {
    if (part.kind === 'map') for (const [name, { value }] of part.entries) visit(value, name);
    else if (part.kind === 'list') for (const item of part.items) visit(item, key);
    else if ((key === 'source' || key === 'on') && typeof part.value === 'string' && /^[A-Z][A-Z0-9_]+$/.test(part.value))
      found.push(part.value);
  };
  visit(root, '');
  return found;
}

/** Returns the state paths that the observers of a profile write, each with the observer. */
function pathsWrittenIn(root: MapNode): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (const list of ['pre_turn_observers', 'post_turn_observers']) {
    const observers = childOf(root, list);
    for (const observer of observers?.kind === 'list' ? observers.items : []) {
      const updates = childOf(childOf(observer, 'action'), 'updates');
      for (const update of updates?.kind === 'list' ? updates.items : []) {
        const path = textAt(update, 'path');
        if (path !== '') found.push([path, `written by ${textAt(observer, 'id')} of ${textAt(root, 'name')}`]);
      }
    }
  }
  return found;
}
