import type { JsonObject } from '../json.ts';

/**
 * Change of a run's profiles from outside. `create`: a profile of these keys, or of this YAML text. `update`: keys replace
 * those of the profile, null removes one; a text replaces the whole profile.
 */
export type ProfileEdit =
  | { readonly create: string | JsonObject }
  | { readonly update: string; readonly with: string | JsonObject }
  | { readonly disable: string }
  | { readonly rename: string; readonly to: string };

/** One recorded profile change. */
export interface ProfileChange {
  readonly action: 'created' | 'updated' | 'disabled' | 'renamed';
  readonly profile: string;
  /** Its new name, when it was renamed. */
  readonly to?: string;
}

/** Describes the changes in words, for agents of the profiles. */
export function changesText(changes: readonly ProfileChange[]): string {
  return changes.map(({ action, profile, to }) => `${profile} was ${action}${to === undefined ? '' : ` to ${to}`}`).join('; ');
}
