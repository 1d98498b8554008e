import type { CallId } from './ids.ts';

/** What a person allowed for the rest of a run: every call of one tool that one gate of a profile asks about. */
export interface StandingApproval {
  readonly profile: string;
  readonly tool: string;
  readonly gateId: string;
  /** The call it was said about, and the event that says so. */
  readonly callId: CallId;
  readonly seq: number;
  readonly at: number;
}

/** The approval that covers a call, if there is one. Other gates ask all the same, and gates that deny deny. */
export function standingFor(
  standing: readonly StandingApproval[],
  { profile, tool, gateId }: Pick<StandingApproval, 'profile' | 'tool' | 'gateId'>,
): StandingApproval | undefined {
  return standing.find((known) => known.profile === profile && known.tool === tool && known.gateId === gateId);
}
