import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { ContentEntry, Journal } from '../core/events/journal.ts';
import type { LlmConfig } from '../core/model/llm-config.ts';
import type { CompiledProfile, ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { CheckedModelGateway } from '../models/gateway.ts';
import type { Replay } from '../models/replay/replay.ts';
import type { NodeFunction } from '../nodes/turn/function-node.ts';
import type { DecisionWatch } from './run/decide-batch.ts';
import type { DecisionContext } from './run/decision-context.ts';
import type { ViewedProfile } from './run-result.ts';
import type { LimitOptions } from './limit-options.ts';
import type { CodeTools } from './toolsets/code-tools.ts';
import type { ToolSource } from './toolsets/toolset-hold.ts';
import type { ToolsetPool } from './toolsets/toolset-pool.ts';
import type { Turnstile } from './run/turnstile.ts';
import type { RecordedSet } from './launch/recorded-set.ts';

/** A set of profiles made ready to run. */
export interface ProfileRuntime extends ToolSource {
  /** What a run decides with whose toolsets are connected to nothing. */
  readonly decision: DecisionContext;
  /** What code gave of tools. */
  readonly code: CodeTools;
  /** What must be trusted before a run goes on with it: the set, with the toolsets that code gave to the run and that are on record alone. */
  readonly reaching: ProfileSet;
  /** What handles show of profiles: those of the set, or what an imported run says of its own. */
  readonly viewed: ReadonlyMap<string, ViewedProfile>;
  /** The files of the set as a run stores them, and their address. */
  readonly snapshot: ContentEntry;
  /** The LLM config a profile's model calls are made with, or the run's own in its place. */
  llmConfigOf(profile: CompiledProfile, override: string | undefined): LlmConfig;
  /** An LLM config of the set, or a model named as `provider/model`. */
  findLlmConfig(name: string): LlmConfig | undefined;
  /** Whether nobody knows what a config's model costs, which it does. */
  isUnpriced(config: LlmConfig): boolean;
}

/** What an engine is made of; put together by `createEngine`. */
export interface EngineParts {
  readonly runtime: ProfileRuntime;
  /** Makes a workbench of what a run recorded. */
  readonly rebuild: (recorded: RecordedSet) => Promise<ProfileRuntime>;
  /** Makes a workbench from files that a person changed, with the tools that code gave the one before: checked like those of the engine. */
  readonly compile: (files: readonly ProfileFile[], before: ProfileRuntime) => Promise<ProfileRuntime>;
  readonly gateway: CheckedModelGateway;
  readonly journal: Journal;
  /** The engine opened the journal itself, and closes it. */
  readonly ownsJournal: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly functions: ReadonlyMap<string, NodeFunction>;
  readonly limits: LimitOptions;
  readonly owner: string;
  /** Through which crowds go: launches, and commits of many runs. */
  readonly turnstile: Turnstile;
  readonly graceMs: number;
  /** Resolved when the engine begins to close: what nothing may begin after is waited for no longer. */
  readonly left: PromiseWithResolvers<void>;
  /** Finds, and makes when it is first asked for, the workspace of a run. */
  readonly workspaceOf: (meta: Pick<RunContext['meta'], 'runId' | 'workspace'>) => () => string;
  /** What connects to something, of all profile sets. */
  readonly toolsets: ToolsetPool;
  /** Fails when a set of profiles is not trusted, or a run on record that goes on with it. */
  readonly trust?:
    | ((profiles: ProfileSet, run?: Pick<RunContext['meta'], 'runId' | 'workspace' | 'request'>) => void | Promise<void>)
    | undefined;
  /** Answers tool calls in the tools' place. */
  readonly replay?: Replay | undefined;
  /** Set by tests alone. */
  readonly watch?: DecisionWatch | undefined;
}
