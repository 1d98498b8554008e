import type { OptionKinds } from './check-arguments.ts';
import type { EngineOptions } from './engine-options.ts';
import type { ForkOptions, LaunchOptions, LaunchRequest, ResumeOptions } from './launch-options.ts';
import type { PruneOptions } from './prune-runs.ts';
import type { ByOption } from './input/read-by.ts';
import type { RerenderOptions } from './rerender/rerender-options.ts';
import type { RecoverOptions } from './recovery/recover-runs.ts';
import type { RunsFilter } from '../core/events/journal.ts';
import type { KindsOf } from './run-options.ts';

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
  runtime: 'object',
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
  strict: 'flag',
  aroundCall: 'function',
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
  by: 'name',
};

export const resumeOptions: KindsOf<ResumeOptions> = {
  signal: 'signal',
  context: 'object',
  profiles: 'name',
  waitForHolder: 'flag',
  by: 'name',
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
  before: 'name',
  profiles: 'name',
  edits: 'list',
  recordedAnswers: 'texts',
  runId: 'name',
  message: 'anything',
  by: 'name',
};

export const rerenderOptions: KindsOf<RerenderOptions> = { profiles: 'anything', prompts: 'flag' };

export const runsFilter: KindsOf<RunsFilter> = {
  runId: 'name',
  isOpen: 'flag',
  project: 'text',
  isDeleted: 'flag',
  limit: 'count',
};

export const cancelOptions: KindsOf<ByOption> = { by: 'name' };

export const closeOptions: OptionKinds = { graceMs: 'milliseconds' };

export const forksOption: OptionKinds = { forks: 'flag' };

export const pruneOptions: KindsOf<PruneOptions> = {
  olderThanMs: 'milliseconds',
  project: 'name',
  deleted: 'flag',
  idle: 'flag',
  include: 'function',
  onErased: 'function',
  dryRun: 'flag',
};
