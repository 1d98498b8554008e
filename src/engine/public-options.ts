import type { ArgumentKind, OptionKinds } from './check-arguments.ts';
import type { EngineOptions } from './create-engine.ts';
import type { ForkOptions, LaunchOptions, LaunchRequest, ResumeOptions } from './engine-parts.ts';
import type { RecoverOptions } from './recovery/recovered-run.ts';
import type { RunsFilter } from '../core/events/journal.ts';
import type { TurnFilter } from '../inspect/filter-turns.ts';
import type { SendOptions } from './send-options.ts';
import type { ApproveOptions } from './input/verdicts.ts';

/** Every option there is, so that none is forgotten here. */
type KindsOf<Options> = { readonly [Name in keyof Options]-?: ArgumentKind };

export const engineOptions: KindsOf<EngineOptions> = {
  profiles: 'anything',
  models: 'object',
  tools: 'anything',
  toolsets: 'object',
  ingestors: 'named',
  observers: 'named',
  functions: 'object',
  store: 'anything',
  durability: 'text',
  leases: 'object',
  integrity: 'object',
  limits: 'object',
  workspace: 'anything',
  team: 'objectOrFalse',
  clock: 'object',
  ids: 'object',
  env: 'object',
  random: 'function',
  replay: 'textOrObject',
  trust: 'function',
  graceMs: 'milliseconds',
  titles: 'object',
  secrets: 'texts',
};

export const launchRequest: KindsOf<LaunchRequest> = {
  profile: 'text',
  input: 'anything',
  title: 'text',
  runId: 'name',
  requestHash: 'name',
};

export const launchOptions: KindsOf<LaunchOptions> = {
  signal: 'signal',
  limits: 'object',
  context: 'object',
  request: 'object',
  notes: 'list',
  workspace: 'name',
  llmConfig: 'text',
  subscriber: 'object',
};

export const resumeOptions: KindsOf<ResumeOptions> = {
  signal: 'signal',
  context: 'object',
  profiles: 'name',
  waitForHolder: 'flag',
};

export const recoverOptions: KindsOf<RecoverOptions> = { ...resumeOptions, include: 'function', onRun: 'function' };

export const forkOptions: KindsOf<ForkOptions> = {
  signal: 'signal',
  limits: 'object',
  context: 'object',
  workspace: 'name',
  llmConfig: 'text',
  subscriber: 'object',
  at: 'count',
  runId: 'name',
  message: 'anything',
};

export const runsFilter: KindsOf<RunsFilter> = {
  runId: 'name',
  isOpen: 'flag',
  project: 'text',
  isDeleted: 'flag',
  limit: 'count',
};

export const closeOptions: OptionKinds = { graceMs: 'milliseconds' };

export const sendOptions: KindsOf<SendOptions> = { to: 'name', priority: 'anything', itemId: 'anything' };

export const approveOptions: KindsOf<ApproveOptions> = { args: 'object', always: 'flag', fingerprint: 'name' };

export const rejectOptions: OptionKinds = { message: 'text' };

export const cancelOptions: OptionKinds = { agentId: 'name', moduleId: 'name' };

export const turnFilter: KindsOf<TurnFilter> = { agentId: 'text', status: 'text', type: 'text' };

export const eventsOptions: OptionKinds = { after: 'count', signal: 'signal' };

export const subscriberOptions: OptionKinds = {
  onEvents: 'function',
  onDelta: 'function',
  onProgress: 'function',
  onHalt: 'function',
};

export const forksOption: OptionKinds = { forks: 'flag' };
