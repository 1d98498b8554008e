import { type Capability, type CapabilityParts, changedParts } from './capability.ts';
import type { CallId } from '../ids.ts';

/** What a person allowed for the rest of a run: every call of one tool that one gate of a profile asks about. */
export interface StandingApproval {
  readonly profile: string;
  readonly tool: string;
  readonly gateId: string;
  /** What was agreed to; absent in journals of earlier versions, whose standing approvals cover nothing any more. */
  readonly capability?: Capability;
  /** The call it was said about, and the event that says so. */
  readonly callId: CallId;
  readonly seq: number;
  readonly at: number;
}

/** What a standing approval is bound to besides the name of its profile: it covers other arguments, and survives other instructions. */
const boundTo = ['tool', 'settings', 'gate'] as const;

/** The kind of calls a standing approval is about. */
type Subject = Pick<StandingApproval, 'profile' | 'tool' | 'gateId'>;

/** The approval that covers a call, if there is one. Other gates still ask, gates that deny deny, and a change of what it is bound to ends it. */
export function standingFor(
  standing: readonly StandingApproval[],
  subject: Subject,
  now: CapabilityParts,
): StandingApproval | undefined {
  return standing.find((known) => isAbout(known, subject) && changedParts(known.capability, now, boundTo).length === 0);
}

/** The standing approvals without those for calls like this one. */
export function withoutStanding(standing: readonly StandingApproval[], subject: Subject): readonly StandingApproval[] {
  return standing.some((known) => isAbout(known, subject)) ? standing.filter((known) => !isAbout(known, subject)) : standing;
}

function isAbout(known: StandingApproval, { profile, tool, gateId }: Subject): boolean {
  return known.profile === profile && known.tool === tool && known.gateId === gateId;
}
