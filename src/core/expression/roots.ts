/** The data an expression reads: one own property per root (an own getter is fine, and is called only when read). */
export interface Scope {
  readonly [root: string]: unknown;
}

/** Declares the existing roots, so that a typo is a problem at load and not a silent null at run time. */
export interface ExpressionRoots {
  readonly [root: string]: RootDeclaration;
}

/**
 * Declaration of a value's fields: any, or only the listed ones. A missing or null value below a `required` root is unknown, not empty: the
 * expression fails where it needs the value. It may ask whether the value is there: by `has`, `default`, truthiness, or a comparison with `null`.
 */
export type RootDeclaration =
  | { readonly kind: 'open'; readonly required?: true }
  | { readonly kind: 'closed'; readonly fields: Readonly<Record<string, RootDeclaration>> };

/** Root of a `v['…']` path that does not start with a root. */
export const DEFAULT_ROOT = 'state';
