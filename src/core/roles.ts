/** What a person may do on a server, from least to most: each role includes those before it. docs/server.md says what they allow. */
export const roles = ['read', 'talk', 'approve', 'operate'] as const;

/** Role of a person on a server. */
export type Role = (typeof roles)[number];

/** A person as a server knows them. */
export interface Person {
  /** Recorded as `by` with everything they do. */
  readonly name: string;
  readonly role: Role;
}

/** True when a role allows what needs another one. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** True when a text names a role. */
export function isRole(text: unknown): text is Role {
  return roles.some((role) => role === text);
}
