import type { EventOf } from '../events/event.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { untrustedSources } from '../prompt/prompt-sources.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import { carriesText, type Labels, labelsBelow, namesOf, type StateTaint, type Taint } from '../untrusted/taint.ts';
import type { Patch } from './patch.ts';
import type { RecipeOwner } from './state-draft.ts';

const none: Labels = [];

/** Fields of a work module in which a planner tells another agent what to do. */
const taskFields: ReadonlySet<string> = new Set(['name', 'description', 'notes_from_principal']);
/** Fields of a work module that the engine fills in, or that name modules and profiles; and those whose values it always checks. */
const engineFields: ReadonlySet<string> = new Set(['depends_on', 'executor', 'assignee_history']);
const checkedFields: ReadonlySet<string> = new Set(['module_id', 'status']);

/**
 * Records the untrusted sources of a change of state: those that the event names, or else all that the agent has read. Call it while the
 * agent's sources are those of the change.
 */
export function noteStateTaint(
  run: Pick<RunContext, 'team' | 'outside'>,
  agent: SubContext | undefined,
  { patches, taint }: Pick<EventOf<'state.patch'>, 'patches' | 'taint'>,
): void {
  const labels = taint ?? (agent === undefined ? none : untrustedSources(agent.history.sources));
  for (const label of labels) run.outside.add(label);
  for (const patch of patches) {
    const isTeam = patch.path[0] === 'team';
    const known = isTeam ? run.team.taint : agent?.stateTaint;
    if (known === undefined || (labels.length === 0 && known.size === 0)) continue;
    if (isTeam && patch.path[1] === 'work_modules') noteModule(known, patch, { labels, isSaid: taint === undefined });
    else notePlace(known, patch, isTeam ? 3 : 2, taint === undefined ? { labels, said: true } : { labels });
  }
}

/** Untrusted sources of what a recipe reads of its draft. */
export interface DraftReads {
  readonly onRead: RecipeOwner['onRead'];
  readonly labels: () => Labels;
}

/** Observes what code reads of a draft of state; code may write elsewhere what it has read. */
export function watchReads({ team }: RunContext, { stateTaint }: SubContext): DraftReads {
  const labels = new Set<string>();
  const note = (place: string): void => {
    const known = place.startsWith('team.') ? team.taint : stateTaint;
    const read = place.endsWith('.') ? labelsBelow(known, place) : (known.get(place)?.labels ?? none);
    for (const label of read) labels.add(label);
  };
  const isClean = team.taint.size + stateTaint.size === 0;
  return { onRead: isClean ? undefined : note, labels: () => [...labels] };
}

/** True for a patch that writes text: in its value, or as a new name. */
export function writesText({ op, path, value }: Patch): boolean {
  return carriesText(value) || (op === 'add' && typeof path.at(-1) === 'string');
}

/** Records the taint of what a patch writes at, or below, the value whose path has so many keys. */
function notePlace(known: StateTaint, patch: Patch, depth: number, taint: Taint): void {
  const { op, path, value } = patch;
  const place = path.slice(0, depth).join('.');
  const isWhole = path.length <= depth;
  if (isWhole && op === 'remove') known.delete(namesOf + place);
  if (isWhole && op === 'add' && taint.labels.length > 0) known.set(namesOf + place, taint);
  if (taint.labels.length === 0 || !(isWhole ? carriesText(value) : writesText(patch))) {
    if (isWhole && (op !== 'add' || value !== undefined)) known.delete(place);
    return;
  }
  const before = isWhole ? undefined : known.get(place);
  if (before === undefined) known.set(place, taint);
  else {
    const labels = [...new Set([...before.labels, ...taint.labels])];
    known.set(place, before.said === true && taint.said === true ? { labels, said: true } : { labels });
  }
}

/** Records the taint of a change of a work module, field by field. */
function noteModule(
  known: StateTaint,
  patch: Patch,
  { labels, isSaid }: { readonly labels: Labels; readonly isSaid: boolean },
): void {
  const { op, path, value } = patch;
  if (path.length > 3) {
    const field = String(path[3]);
    if (checkedFields.has(field) || (isSaid && engineFields.has(field))) return;
    notePlace(known, patch, 4, isSaid && taskFields.has(field) ? { labels, said: true } : { labels });
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [field, part] of Object.entries(value))
    noteModule(known, { op, path: [...path, field], value: part ?? (null satisfies JsonValue) }, { labels, isSaid });
}
