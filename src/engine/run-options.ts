import type { ArgumentKind, OptionKinds } from './check-arguments.ts';
import type { StateQuery } from '../inspect/state/state-at.ts';
import type { TurnFilter } from '../inspect/filter-turns.ts';
import type { SendOptions } from './send-options.ts';
import type { ApproveOptions } from './input/verdicts.ts';

/** Requires a kind for every option, so that none is forgotten here. */
export type KindsOf<Options> = { readonly [Name in keyof Options]-?: ArgumentKind };

export const sendOptions: KindsOf<SendOptions> = {
  to: 'name',
  priority: 'anything',
  itemId: 'anything',
  mayAnswer: 'flag',
  by: 'name',
};

export const approveOptions: KindsOf<ApproveOptions> = { args: 'object', always: 'flag', fingerprint: 'name', by: 'name' };

export const rejectOptions: OptionKinds = { message: 'text', by: 'name' };

export const byOption: OptionKinds = { by: 'name' };

export const cancelOptions: OptionKinds = { agentId: 'name', moduleId: 'name', by: 'name' };

export const stateQuery: KindsOf<StateQuery> = { seq: 'count', path: 'name' };

export const turnFilter: KindsOf<TurnFilter> = { agentId: 'text', status: 'text', type: 'text' };

export const eventsOptions: OptionKinds = { after: 'count', signal: 'signal' };

export const subscriberOptions: OptionKinds = {
  onEvents: 'function',
  onDelta: 'function',
  onProgress: 'function',
  onHalt: 'function',
};
