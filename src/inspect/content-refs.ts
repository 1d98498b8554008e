import type { CadreEvent } from '../core/events/event.ts';
import type { ContentHash } from '../core/ids.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Patch } from '../core/patches/patch.ts';
import { headsOf } from '../core/prompt/prompt.ts';
import { readKnowledge } from '../core/team/knowledge.ts';
import { readList, type ReadContent } from './read-content.ts';

/** Collects the hashes of stored texts that a run's events refer to, with the segments of system prompts. */
export function contentRefs(events: readonly CadreEvent[], content: ReadContent): ReadonlySet<ContentHash> {
  const refs = new Set<ContentHash>();
  for (const event of events) {
    for (const hash of refsOf(event)) refs.add(hash);
    if (event.type !== 'turn.start' || event.prompt === undefined) continue;
    for (const hash of segmentRefs(event.prompt.system, content)) refs.add(hash);
  }
  return refs;
}

/** Collects those that only a value of the state names: profiles and tools write it, so that it need not be the hash of a text. */
export function namedByState(events: readonly CadreEvent[], content: ReadContent): ReadonlySet<ContentHash> {
  const isState = ({ type }: CadreEvent): boolean => type === 'state.patch' || type === 'state.update';
  const sure = contentRefs(
    events.filter((event) => !isState(event)),
    content,
  );
  return new Set(
    events
      .filter(isState)
      .flatMap(refsOf)
      .filter((hash) => !sure.has(hash)),
  );
}

/** Returns the texts behind the construction log of a system prompt. */
export function segmentRefs(system: ContentHash, content: ReadContent): readonly ContentHash[] {
  return readList(content, system).flatMap((record) =>
    isJsonObject(record) && typeof record['hash'] === 'string' ? [record['hash'] as ContentHash] : [],
  );
}

function refsOf(event: CadreEvent): readonly ContentHash[] {
  switch (event.type) {
    case 'run.start':
      return [event.profiles, ...given(event.given)];
    case 'profiles.update':
      return [event.profiles];
    case 'toolset.update':
      return [event.tools];
    case 'run.resume':
      return [...given(event.profiles), ...given(event.given)];
    case 'turn.start':
      return event.prompt === undefined
        ? []
        : [event.prompt.system, event.prompt.tools, ...headsOf(event.prompt).map(({ head }) => head)];
    case 'tool.end':
      return given(event.full);
    case 'context.trim':
    case 'compaction.end':
      return given(event.head);
    case 'compaction.start':
      return [event.instructions, ...given(event.previous), ...(event.earlier ?? [])];
    case 'state.patch':
      return event.patches.flatMap(({ path, value }) => knowledgeRefs(path, value));
    case 'state.update':
      return event.scope === 'team' ? knowledgeRefs(['team', 'shared', ...event.path.split('.')], event.value) : [];
    default:
      return [];
  }
}

function given(hash: ContentHash | undefined): readonly ContentHash[] {
  return hash === undefined ? [] : [hash];
}

/** Returns the hashes of knowledge texts in team state, of which models read only a preview. */
function knowledgeRefs(path: Patch['path'], value: JsonValue | undefined): readonly ContentHash[] {
  if (path[1] !== 'shared' || (path.length > 2 && path[2] !== 'knowledge')) return [];
  const shared = path.slice(2).reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value ?? null);
  return [...readKnowledge(shared).values()].map(({ hash }) => hash);
}
