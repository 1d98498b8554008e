import type { Env } from '../../core/env.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { gateDefinition } from './tool-gates.ts';
import { hashOf } from './capability-of.ts';

/** The standing approvals that end under these profiles: their gate is another one, or gone. They stay ended when it comes back. */
export function revokedBy(env: Env, { standing }: RunContext): { readonly revoked?: readonly number[] } {
  const revoked = standing.filter(({ profile, gateId, capability }) => {
    const definition = gateDefinition(env.profiles.get(profile), gateId);
    return definition === undefined || capability?.gate !== hashOf(env, definition);
  });
  return revoked.length === 0 ? {} : { revoked: revoked.map(({ seq }) => seq) };
}
