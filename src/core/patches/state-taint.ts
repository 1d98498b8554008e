import type { EventOf } from '../events/event.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { untrustedSources } from '../prompt/prompt-sources.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { StateTaint } from '../untrusted/taint.ts';

const none: readonly string[] = [];
const word = /^[\p{L}\p{N}_.:/@+-]{0,64}$/u;

/** True for a value that can carry an instruction: a text of more than one word. */
export function carriesWords(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return !word.test(value);
  if (Array.isArray(value)) return value.some((each: JsonValue) => carriesWords(each));
  return isJsonObject(value) && Object.entries(value).some(([key, each]) => !word.test(key) || carriesWords(each));
}

/** Records the untrusted sources of a change of state. Call it while the agent's sources are those of the change. */
export function noteStateTaint(
  run: RunContext,
  agent: SubContext | undefined,
  { patches, taint = none }: Pick<EventOf<'state.patch'>, 'patches' | 'taint'>,
): void {
  const read = agent === undefined ? none : untrustedSources(agent.history.sources);
  const labels = taint.length === 0 ? read : [...new Set([...taint, ...read])];
  for (const { op, path, value } of patches) {
    const isTeam = path[0] === 'team';
    const known = isTeam ? run.team.taint : agent?.stateTaint;
    // Work modules hold agents' text, which counts through the agents that read it.
    if (known === undefined || (isTeam && path[1] !== 'shared') || (labels.length === 0 && known.size === 0)) continue;
    const keys = path.slice(0, isTeam ? 3 : 2);
    const place = keys.join('.');
    const isWhole = path.length === keys.length;
    if (labels.length > 0 && carriesWords(value))
      known.set(place, [...new Set([...(isWhole ? none : (known.get(place) ?? none)), ...labels])]);
    else if (isWhole && (op !== 'add' || value !== undefined)) known.delete(place);
  }
}

/** Returns the untrusted sources in the values at the dotted paths that an expression reads. */
export function taintOfPaths(run: RunContext, agent: SubContext, paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) for (const label of taintOfPath(run, agent, path)) found.add(label);
  return found.size === 0 ? none : [...found];
}

function taintOfPath(run: RunContext, agent: SubContext, path: string): readonly string[] {
  const plain = path.replace(/^state\./, '');
  const [root = ''] = plain.split(/[.[]/, 1);
  switch (root) {
    case 'inbox':
    case 'messages':
    case 'archived_messages':
    case 'dead_letters':
      return [
        ...untrustedSources(agent.history.sources),
        ...agent.inbox.items.flatMap(({ item }) => (isFromOutside(item) ? [item.source] : [])),
      ];
    case 'principal':
    case 'partner':
    case 'parent':
      return [...run.agents.values()].flatMap(({ stateTaint }) => [...stateTaint.values()].flat());
    case 'team':
      return taintedAt(run.team.taint, plain);
    default:
      return taintedAt(
        agent.stateTaint,
        root === 'flags' || root === 'deliverables' || root === 'values' ? plain : `values.${plain}`,
      );
  }
}

function taintedAt(known: StateTaint, path: string): readonly string[] {
  if (known.size === 0) return none;
  return [...known].flatMap(([place, labels]) => (isWithin(path, place) || isWithin(place, path) ? labels : none));
}

/** True for the same path, or one below it. */
function isWithin(path: string, place: string): boolean {
  return path.startsWith(place) && (path.length === place.length || '.['.includes(path.charAt(place.length)));
}

function isFromOutside({ trust, payload }: { readonly trust?: 'untrusted'; readonly payload: JsonValue }): boolean {
  return trust === 'untrusted' || (isJsonObject(payload) && payload['trust'] === 'untrusted');
}
