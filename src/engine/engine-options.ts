import type { Clock } from '../core/clock.ts';
import type { CodedObserver } from '../core/env.ts';
import type { Ids } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Ingestor } from '../core/inbox/ingestor.ts';
import type { Journal } from '../core/events/journal.ts';
import type { Recording } from '../core/recording/recording.ts';
import type { Runtime } from '../core/runtime.ts';
import type { AroundCall } from '../core/tool/around-call.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import type { AiSdkModel, LanguageModel } from '../models/adapter/ai-sdk-model.ts';
import type { GivenTool } from '../tools/given-tool.ts';
import type { NodeFunction } from '../nodes/turn/function-node.ts';
import type { DecisionWatch } from './run/decide-batch.ts';
import type { Doubles } from './effects/doubles.ts';
import type { LimitOptions } from './limit-options.ts';
import type { LeaseOptions } from './recovery/open-store.ts';
import type { IntegrityOptions } from '../journal/commit-chain.ts';
import type { ToolsetOption } from './toolsets/toolset-options.ts';
import type { WorkspaceOption } from './launch/workspaces.ts';

/** Options of an engine. All but `profiles` have defaults. */
export interface EngineOptions {
  /** A folder or file, several of them, files in memory, or what `loadProfiles` returned. */
  readonly profiles: string | readonly string[] | { readonly files: readonly ProfileFile[] } | ProfileSet;
  /** AI SDK model objects by name; a name is an LLM config, a model, or `default` for all others. */
  readonly models?: Readonly<Record<string, LanguageModel | AiSdkModel>>;
  /** Tools by name, or a list of them: `defineTool`, AI SDK `tool()`, or plain definitions. */
  readonly tools?: Readonly<Record<string, GivenTool>> | readonly GivenTool[];
  /** Toolsets by the name profiles allow them by: settings of a built-in kind, or a factory. They take precedence over files. */
  readonly toolsets?: Readonly<Record<string, ToolsetOption>>;
  readonly ingestors?: readonly Ingestor[];
  readonly observers?: readonly CodedObserver[];
  /** Deterministic functions that replace a model, by the name profiles give in `function_node`. */
  readonly functions?: Readonly<Record<string, NodeFunction>>;
  /** A path, `'memory'`, or a journal; by default `.cadre/journal.db` under the working folder. */
  readonly store?: string | Journal;
  /** Advances runs on workers instead of in this process: `restateRuntime` of `cadre/restate`. Needs a journal that all of them reach. */
  readonly runtime?: Runtime;
  readonly durability?: 'normal' | 'full';
  /**
   * Signs of life for engines that cannot observe this one's process, in another container or on another host: one every `heartbeatMs`
   * (5000) while a run is held; after a silence of `expiryMs` (30000) others may resume its runs.
   */
  readonly leases?: LeaseOptions;
  /** Seals every commit of the journal's file with a key, and refuses events that were changed or added without it (STORE_CORRUPT). */
  readonly integrity?: IntegrityOptions;
  readonly limits?: LimitOptions;
  /** Folder where tools work, or a function from run id to folder; by default a folder per run beside the journal. */
  readonly workspace?: WorkspaceOption;
  /** Options of the built-in team tools; `false` leaves them out. */
  readonly team?: false | { readonly maxParallel?: number };
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Environment that LLM configs and API keys are read from; by default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Random number, 0 to 1, that spreads the waits between model attempts. */
  readonly random?: () => number;
  /**
   * A recording, or the path of its file: models and tools answer from it and are not called. A run that asks for anything else ends with
   * REPLAY_MISMATCH.
   */
  readonly replay?: string | Recording;
  /**
   * Called with each set of profiles before a run uses it: the engine's own, and those a run recorded. Must throw when they are not
   * trusted. For a recorded run, and for a fork before it begins, it also receives the run's workspace, request and the run it was forked
   * from: a journal may come from others, too. For a new run it receives the request of the launch. Tools and toolsets from code are trusted unless this says otherwise.
   */
  readonly trust?: (
    profiles: ProfileSet,
    run?: Pick<RunContext['meta'], 'runId' | 'workspace' | 'request' | 'parentRun'>,
    launched?: { readonly request: JsonObject },
  ) => void | Promise<void>;
  /** Milliseconds that cancelled tools and model calls get to stop; 5000 by default. */
  readonly graceMs?: number;
  /** Lets a model write the title of each run that is launched without one, after its first reply. Overrides `titles` of a team.yaml. */
  readonly titles?: { readonly llmConfig: string };
  /** Runs each model and tool call, so that what it starts sees a context: `telemetry.aroundCall` of `cadre/otel`. */
  readonly aroundCall?: AroundCall;
  /** Refuses profiles that load with warnings (PROFILE_INVALID); otherwise `engine.warnings` has them. */
  readonly strict?: boolean;
  /** Extra secrets to redact from the journal, besides the API keys and environment values of LLM configs. */
  readonly secrets?: readonly string[];
}

/** Options of an engine besides its profiles and tools. */
export type OpenOptions = Pick<
  EngineOptions,
  | 'models'
  | 'functions'
  | 'store'
  | 'runtime'
  | 'durability'
  | 'leases'
  | 'integrity'
  | 'limits'
  | 'workspace'
  | 'clock'
  | 'ids'
  | 'env'
  | 'random'
  | 'graceMs'
  | 'trust'
  | 'aroundCall'
> & {
  /** Observes every decision; set by tests only. */
  readonly watch?: DecisionWatch;
  /** Fewest events between two snapshots of a run; 10,000 by default. */
  readonly snapshotEvery?: number;
  /** Replaces models and tools; set by tests of profiles only. */
  readonly doubles?: Doubles;
};
