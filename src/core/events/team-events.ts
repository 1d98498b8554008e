import { list, optional } from '../schema/records.ts';
import { json, oneOf, text } from '../schema/values.ts';
import { beforeAfter, changesOfPatch, oldChange } from '../patches/state-changes.ts';
import { id } from './common-parts.ts';
import { defineEvent, type DraftOf, ofAnyTurn, ofRun } from './define-event.ts';
import { oneLine } from './one-line.ts';
import { dispatchPatch, modulePatch, patch } from './team-parts.ts';

export const moduleUpdate = defineEvent('module.update', {
  about: 'A work module is created or changed; `patch` holds the changed fields. Only in old journals: replaced by `state.patch`.',
  code: 'wm',
  subject: ofRun,
  fields: { moduleId: id, patch: modulePatch },
  describe: (event) => `module ${event.moduleId} changed: ${oneLine(Object.keys(event.patch).join(', '))}`,
});

export const dispatchUpdate = defineEvent('dispatch.update', {
  about: 'A dispatch is recorded or changes.',
  code: 'wd',
  subject: ofRun,
  fields: { dispatchId: id, patch: dispatchPatch },
  describe: (event) => `dispatch ${event.dispatchId} ${event.patch.status ?? 'changed'}`,
});

export const statePatch = defineEvent('state.patch', {
  about:
    'Flags, values and deliverables of an agent change, or shared values and work modules of its team. The event holds the change, ' +
    'not the reason for it; applying `inverse` in order restores the state before.',
  code: 's*',
  subject: ofAnyTurn,
  fields: {
    patches: list(patch),
    inverse: list(patch),
    /** The observer or tool that made the change, or `person`. */
    by: optional(text),
    /** The name of the person, where `by` is `person` and it is known. */
    person: optional(text),
    /** Untrusted sources of these values; absent when they may come from everything that the agent has read. */
    taint: optional(list(text)),
  },
  keys: { patches: 'p', inverse: 'i', by: 'b', taint: 't' },
  describe: (event) => {
    const changes = changesOfPatch(event);
    const shown = changes.slice(0, 3).map((change) => `${change.path} ${oneLine(beforeAfter(change))}`);
    const more = changes.length - shown.length;
    return `state: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  },
});

export const stateUpdate = defineEvent('state.update', {
  about: "A value in an agent's or the team's state changes. Only in old journals: replaced by `state.patch`.",
  code: 's=',
  subject: ofAnyTurn,
  fields: {
    scope: oneOf('agent', 'team'),
    operation: oneOf('set', 'increment', 'append', 'remove'),
    path: text,
    value: optional(json),
    /** The observer or tool that made the change. */
    by: optional(text),
  },
  describe: (event) => {
    const change = oldChange(event);
    return `state: ${change.path} ${oneLine(beforeAfter(change))}`;
  },
});

export type ModuleUpdate = DraftOf<typeof moduleUpdate>;
export type DispatchUpdate = DraftOf<typeof dispatchUpdate>;
export type StatePatch = DraftOf<typeof statePatch>;
export type StateChange = DraftOf<typeof stateUpdate>;
