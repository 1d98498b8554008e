/** A model or tool call at work. */
export interface CallAtWork {
  readonly runId: string;
  readonly turnId: string;
  /** Absent for a model call. */
  readonly toolCallId?: string;
}

/** Runs the work of a call, once, and returns what it returns: for contexts that what it starts must see. A throw fails the call. */
export type AroundCall = <T>(call: CallAtWork, work: () => T) => T;
