import { byText } from '../core/by.ts';
import type { CallVerdict } from '../core/state/turn-state.ts';

/** Describes a decision about a call and who made it, in a few words; the name in it is untrusted. */
export function verdictText({ verdict, by, expired, standing }: CallVerdict): string {
  if (expired === true) return verdict === 'approved' ? 'allowed when its time was over' : 'denied when its time was over';
  if (standing !== undefined) return `allowed by the standing approval of ${byText(by)} (event ${standing})`;
  return `${verdict} by ${byText(by)}`;
}
