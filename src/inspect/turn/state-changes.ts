import type { EventOf } from '../../core/events/event.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Patch } from '../../core/patches/patch.ts';

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

/** The changes that an event made, in order. */
export function stateChanges(event: EventOf<'state.patch' | 'state.update'>): readonly StateChangeView[] {
  const by = event.by === undefined ? {} : { by: event.by };
  if (event.type === 'state.update') return [{ ...oldChange(event), ...by }];
  const { patches, inverse, seq } = event;
  return patches.map(({ op, path, value }, index) => {
    const undo: Patch | undefined = inverse[patches.length - 1 - index];
    return {
      seq,
      scope: path[0] === 'team' ? 'team' : 'agent',
      path: path.map(keyText).join('.'),
      operation: op === 'remove' ? op : op === 'add' && typeof path.at(-1) === 'number' ? 'insert' : 'set',
      ...(undo?.value === undefined ? {} : { before: undo.value }),
      ...(value === undefined ? {} : { value }),
      ...by,
    };
  });
}

function oldChange({ scope, operation, path, seq, value }: EventOf<'state.update'>): StateChangeView {
  const where = scope === 'team' ? `team.shared.${path}` : /^(flags|values|deliverables)\./.test(path) ? path : `values.${path}`;
  return { seq, scope, path: where, operation, isOld: true, ...(value === undefined ? {} : { value }) };
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
