/** The data an expression reads: one own property per root (an own getter is fine, and is called only when read). */
export interface Scope {
  readonly [root: string]: unknown;
}

/** Declares the existing roots, so that a typo is a problem at load and not a silent null at run time. */
export interface ExpressionRoots {
  readonly [root: string]: RootDeclaration;
}

/** Declaration of a value's fields: any, or only the listed ones. */
export type RootDeclaration =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly fields: Readonly<Record<string, RootDeclaration>> };

/** Root of a `v['…']` path that does not start with a root. */
export const DEFAULT_ROOT = 'state';
