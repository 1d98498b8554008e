import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { ContentEntry, Journal } from '../core/events/journal.ts';
import type { LlmConfig } from '../core/model/llm-config.ts';
import type { CompiledProfile, ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { AroundCall } from '../core/tool/around-call.ts';
import type { CheckedModelGateway } from '../models/gateway.ts';
import type { Replay } from '../models/replay/replay.ts';
import type { NodeFunction } from '../nodes/turn/function-node.ts';
import type { DecisionWatch } from './run/decide-batch.ts';
import type { DecisionContext } from './run/decision-context.ts';
import type { ViewedProfile } from './run-result.ts';
import type { EngineOptions } from './engine-options.ts';
import type { LimitOptions } from './limit-options.ts';
import type { Doubles } from './effects/doubles.ts';
import type { Unfinished } from './effects/unfinished.ts';
import type { CodeTools } from './toolsets/code-tools.ts';
import type { ToolSource } from './toolsets/toolset-hold.ts';
import type { ToolsetPool } from './toolsets/toolset-pool.ts';
import type { LoopThrottle } from './run/loop-throttle.ts';
import type { RemoteRuns } from './runtime/remote-runs.ts';

/** A set of profiles prepared for running. */
export interface ProfileRuntime extends ToolSource {
  /** Decision context for runs whose toolsets connect to nothing. */
  readonly decision: DecisionContext;
  /** Tools and toolsets given by code. */
  readonly code: CodeTools;
  /** Profiles that must be trusted before a run continues: the set, and toolsets given by code that exist only in the run's record. */
  readonly reaching: ProfileSet;
  /** Profiles as run handles show them: those of the set, or those stated by an imported run. */
  readonly viewed: ReadonlyMap<string, ViewedProfile>;
  /** Files of the set as a run stores them, and their address. */
  readonly snapshot: ContentEntry;
  /** Returns the LLM config for a profile's model calls; the run's override wins. */
  llmConfigOf(profile: CompiledProfile, override: string | undefined): LlmConfig;
  /** Returns an LLM config of the set, or a model named as `provider/model`. */
  findLlmConfig(name: string): LlmConfig | undefined;
  /** True when calls of a config cost money and no price is known. */
  isUnpriced(config: LlmConfig): boolean;
}

/** Parts of an engine; assembled by `createEngine`. */
export interface EngineParts {
  /** Profiles of new runs; `Engine.reload` replaces them. */
  runtime: ProfileRuntime;
  /** Loads profiles and prepares them, as for a new engine. */
  readonly prepare: (profiles: EngineOptions['profiles']) => Promise<ProfileRuntime>;
  /** Prepares the profiles and tools that a run recorded. */
  readonly rebuild: (recorded: RecordedSet) => Promise<ProfileRuntime>;
  /** Prepares profiles from files that a person changed, with the tools that code gave before: checked like the engine's own. */
  readonly compile: (files: readonly ProfileFile[], before: ProfileRuntime) => Promise<ProfileRuntime>;
  /** Prepares profiles to decide recorded turns again, with the tools that code gave by the run's record: missing ones without their code. */
  readonly rehearse: (profiles: EngineOptions['profiles'], given: string | undefined) => Promise<ProfileRuntime>;
  readonly gateway: CheckedModelGateway;
  readonly journal: Journal;
  /** True when the engine opened the journal itself, and closes it. */
  readonly ownsJournal: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly functions: ReadonlyMap<string, NodeFunction>;
  readonly limits: LimitOptions;
  readonly owner: string;
  /** Admits bulk work in portions: launches, and commits of many runs. */
  readonly loopThrottle: LoopThrottle;
  readonly graceMs: number;
  /** Work that writes, and must be over before the engine has closed. */
  readonly unfinished: Unfinished;
  /** Resolved when the engine begins to close: ends waits for work that must no longer begin. */
  readonly left: PromiseWithResolvers<void>;
  /** Returns the workspace of a run, creating it on first use. */
  readonly workspaceOf: (meta: Pick<RunContext['meta'], 'runId' | 'workspace'>) => () => string;
  /** Connecting toolsets of all profile sets. */
  readonly toolsets: ToolsetPool;
  /** Fails when a set of profiles is not trusted, or when a recorded run must not go on with it. */
  readonly trust?:
    | ((
        profiles: ProfileSet,
        run?: Pick<RunContext['meta'], 'runId' | 'workspace' | 'request' | 'parentRun'>,
        launched?: { readonly request: JsonObject },
      ) => void | Promise<void>)
    | undefined;
  /** Answers tool calls from a recording instead of the tools. */
  readonly replay?: Replay | undefined;
  /** Advances runs elsewhere, instead of in this process. */
  readonly remote?: RemoteRuns | undefined;
  /** Runs each model and tool call. */
  readonly aroundCall?: AroundCall | undefined;
  /** Set by tests only. */
  readonly watch?: DecisionWatch | undefined;
  /** Fewest events between two snapshots of a run; set by tests only. */
  readonly snapshotEvery?: number | undefined;
  /** Set by tests of profiles only. */
  readonly doubles?: Doubles | undefined;
}

/** Profiles and tools as a run recorded them. */
export interface RecordedSet {
  readonly files: readonly ProfileFile[];
  /** Tools that code gave, as recorded; undefined in journals of earlier versions. */
  readonly given: string | undefined;
}
