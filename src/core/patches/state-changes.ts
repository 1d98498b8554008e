import type { JsonValue } from '../json.ts';
import type { Changes, Patch } from './patch.ts';

/** One change of agent or team state. */
export interface StateChangeView {
  readonly seq: number;
  readonly scope: 'agent' | 'team';
  /** Path: `flags.n`, `values.log.3`, `team.shared.x`, `team.work_modules.WM_1.status`. */
  readonly path: string;
  /** `increment` and `append` occur only in old journals, which do not record the previous value. */
  readonly operation: 'set' | 'insert' | 'remove' | 'increment' | 'append';
  /** Previous value; absent when there was none, or in an old journal. */
  readonly before?: JsonValue;
  /** New value; absent when it was removed. */
  readonly value?: JsonValue;
  readonly isOld?: true;
  readonly by?: string;
}

/** An event that changed state, in journals of this version and of earlier ones. */
type ChangeEvent = (PatchEvent & { readonly type: 'state.patch' }) | (OldChangeEvent & { readonly type: 'state.update' });

interface PatchEvent extends Changes {
  readonly seq: number;
  readonly by?: string;
}

interface OldChangeEvent {
  readonly seq: number;
  readonly scope: 'agent' | 'team';
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  readonly path: string;
  readonly value?: JsonValue;
  readonly by?: string;
}

/** Returns the changes that an event made, in order. */
export function stateChanges(event: ChangeEvent): readonly StateChangeView[] {
  return event.type === 'state.update' ? [oldChange(event)] : changesOfPatch(event);
}

/** Returns the changes of a `state.patch`, in order. */
export function changesOfPatch({ patches, inverse, seq, by }: PatchEvent): readonly StateChangeView[] {
  return patches.map(({ op, path, value }, index) => {
    const undo: Patch | undefined = inverse[patches.length - 1 - index];
    return {
      seq,
      scope: path[0] === 'team' ? 'team' : 'agent',
      path: path.map(keyText).join('.'),
      operation: op === 'remove' ? op : op === 'add' && typeof path.at(-1) === 'number' ? 'insert' : 'set',
      ...(undo?.value === undefined ? {} : { before: undo.value }),
      ...(value === undefined ? {} : { value }),
      ...(by === undefined ? {} : { by }),
    };
  });
}

/** Returns the change of a `state.update`, which does not record the previous value. */
export function oldChange({ scope, operation, path, seq, value, by }: OldChangeEvent): StateChangeView {
  const where = scope === 'team' ? `team.shared.${path}` : /^(flags|values|deliverables)\./.test(path) ? path : `values.${path}`;
  return {
    seq,
    scope,
    path: where,
    operation,
    isOld: true,
    ...(value === undefined ? {} : { value }),
    ...(by === undefined ? {} : { by }),
  };
}

function keyText(key: string | number): string {
  return typeof key === 'string' && key.includes('.') ? JSON.stringify(key) : String(key);
}

/** Describes a change of a value, such as `1 → 2`; `–` means no value. */
export function beforeAfter({ before, value, isOld, operation }: StateChangeView): string {
  const after = value === undefined ? '–' : JSON.stringify(value);
  if (isOld === true) return value === undefined ? operation : `${operation} ${after}`;
  return `${before === undefined ? '–' : JSON.stringify(before)} → ${after}`;
}
