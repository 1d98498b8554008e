import { type Capability, type CapabilityParts, changedParts } from './capability.ts';
import type { CallId } from '../ids.ts';

/** Approval for the rest of a run: every call of one tool that one gate of a profile asks about. */
export interface StandingApproval {
  readonly profile: string;
  readonly tool: string;
  readonly gateId: string;
  /** The parts it is bound to; absent in journals of earlier versions, whose standing approvals no longer cover any call. */
  readonly capability?: Capability;
  /** The person who gave it; absent: a program. */
  readonly by?: string;
  /** The call it was given for, and the event that records it. */
  readonly callId: CallId;
  readonly seq: number;
  readonly at: number;
}

/** Parts that a standing approval is bound to besides the profile's name: it covers other arguments, and survives other instructions. */
const boundTo = ['tool', 'settings', 'gate'] as const;

/** The kind of calls that a standing approval covers. */
type Subject = Pick<StandingApproval, 'profile' | 'tool' | 'gateId'>;

/** Returns the standing approval that covers a call, if any. Other gates still ask or deny, and a change of a bound part ends it. */
export function standingFor(
  standing: readonly StandingApproval[],
  subject: Subject,
  now: CapabilityParts,
): StandingApproval | undefined {
  return standing.find((known) => isAbout(known, subject) && changedParts(known.capability, now, boundTo).length === 0);
}

/** Returns the standing approvals without those for calls like this one. */
export function withoutStanding(standing: readonly StandingApproval[], subject: Subject): readonly StandingApproval[] {
  return standing.some((known) => isAbout(known, subject)) ? standing.filter((known) => !isAbout(known, subject)) : standing;
}

function isAbout(known: StandingApproval, { profile, tool, gateId }: Subject): boolean {
  return known.profile === profile && known.tool === tool && known.gateId === gateId;
}
