import type { JsonObject } from '../json.ts';

/**
 * A change of a run's profiles by somebody outside. `create`: a profile of these keys, or of this YAML text. `update`: with keys, each
 * replaces that of the profile and null takes it away; with a text, that is the profile from now on.
 */
export type ProfileEdit =
  | { readonly create: string | JsonObject }
  | { readonly update: string; readonly with: string | JsonObject }
  | { readonly disable: string }
  | { readonly rename: string; readonly to: string };

/** One change as it stands on record. */
export interface ProfileChange {
  readonly action: 'created' | 'updated' | 'disabled' | 'renamed';
  readonly profile: string;
  /** Its name from now on, when it was renamed. */
  readonly to?: string;
}

/** The changes in words, for whoever goes by the profiles. */
export function changesText(changes: readonly ProfileChange[]): string {
  return changes.map(({ action, profile, to }) => `${profile} was ${action}${to === undefined ? '' : ` to ${to}`}`).join('; ');
}
