import { CadreError } from '../../core/error.ts';
import { sharedPrefix } from '../../journal/leases/lease-owner.ts';

/** Adds the remedy to RUN_LOCKED when workers of a Restate have the run; returns other errors unchanged. */
export function withRestateHint(runId: string, thrown: unknown): unknown {
  if (!(thrown instanceof CadreError) || thrown.code !== 'RUN_LOCKED') return thrown;
  const { owner } = thrown.details;
  if (typeof owner !== 'string' || !owner.startsWith(sharedPrefix)) return thrown;
  return new CadreError(
    'RUN_LOCKED',
    `run ${runId} is advanced by the workers of a Restate (${owner}); name it with --restate URL, as for cadre run`,
    { cause: thrown, details: thrown.details },
  );
}
