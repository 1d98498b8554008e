/** The data an expression reads: one own property per root (an own getter is fine, and is called only when read). */
export interface Scope {
  readonly [root: string]: unknown;
}

/** Declares which roots exist, so that a typo is a problem at load and not a silent null at run time. */
export interface ExpressionRoots {
  readonly [root: string]: RootDeclaration;
}

/** What is known about a value: anything goes below it, or only the listed fields do. */
export type RootDeclaration =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly fields: Readonly<Record<string, RootDeclaration>> };

/** The root under which a `v['…']` path is read when it does not start with a root. */
export const DEFAULT_ROOT = 'state';
