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
  /** Decision context for runs whose toolsets connect to nothing. */
  readonly decision: DecisionContext;
  /** Tools and toolsets given by code. */
  readonly code: CodeTools;
  /** Profiles that must be trusted before a run continues: the set, and toolsets given by code that exist only in the run's record. */
  readonly reaching: ProfileSet;
  /** Profiles as run handles show them: those of the set, or those stated by an imported run. */
  readonly viewed: ReadonlyMap<string, ViewedProfile>;
  /** The files of the set as a run stores them, and their address. */
  readonly snapshot: ContentEntry;
  /** Returns the LLM config for a profile's model calls; the run's override wins. */
  llmConfigOf(profile: CompiledProfile, override: string | undefined): LlmConfig;
  /** An LLM config of the set, or a model named as `provider/model`. */
  findLlmConfig(name: string): LlmConfig | undefined;
  /** True when calls of a config cost money and no price is known. */
  isUnpriced(config: LlmConfig): boolean;
}

/** Parts of an engine; assembled by `createEngine`. */
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
  /** Connecting toolsets of all profile sets. */
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
