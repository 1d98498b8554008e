/**
 * Cadre: teams of LLM agents declared in YAML profiles, with every turn on the record.
 *
 * Importing this module opens and reads nothing; the engine is loaded when the first one is created.
 */
import type { Engine } from './engine/engine.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import type { ProfileSet } from './core/profile/profile.ts';
import type { loadProfiles as LoadProfiles } from './profiles/load-profiles.ts';

export { CadreError } from './core/error.ts';
export type { ErrorCode, ErrorRecord } from './core/error.ts';
export { defineTool } from './tools/define-tool.ts';
export { defineIngestor } from './ingestors/define-ingestor.ts';
export { defineObserver } from './observers/define-observer.ts';
export { createToolRegistry } from './tools/registry.ts';
export { toolReturn } from './core/tool/tool-return.ts';
export { Flow } from './nodes/turn/node.ts';
export { currentRequest } from './engine/effects/call-context.ts';

/**
 * Creates an engine: loads and checks all profiles against all tools, then opens the store. Throws PROFILE_INVALID, naming every
 * problem of every file, before opening anything.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const engine = await import('./engine/create-engine.ts');
  return await engine.createEngine(options);
}

/** Loads a folder of profiles: parses, validates, inherits and compiles them. Throws with every problem of every file. */
export async function loadProfiles(...args: Parameters<typeof LoadProfiles>): Promise<ProfileSet> {
  const { checkProfileInput } = await import('./engine/check-engine-options.ts');
  checkProfileInput('loadProfiles: profiles', args[0]);
  const profiles = await import('./profiles/load-profiles.ts');
  const { readModuleFiles } = await import('./toolsets/module/read-module-files.ts');
  const [input, options] = args;
  return await profiles.loadProfiles(input, { readCode: readModuleFiles, ...options });
}

export type { Engine } from './engine/engine.ts';
export type { LaunchOptions, LaunchRequest, ResumeOptions } from './engine/launch-options.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export type { LimitOptions } from './engine/limit-options.ts';
export type { RecoveredRun } from './engine/recovery/recover-runs.ts';
export type { RecoverOptions } from './engine/recovery/recover-runs.ts';
export type { PendingRequest } from './core/state/pending.ts';
export type { ExternalItem, ExternalMessage } from './engine/input/external-item.ts';
export type { Run } from './engine/run.ts';
export type { Receipt, SendOptions } from './engine/send-options.ts';
export type { RunResult } from './engine/run-result.ts';
export type { ApproveOptions } from './engine/input/verdicts.ts';
export type { ForkEdit } from './engine/launch/fork-edit.ts';
export type { ForkOptions } from './engine/launch-options.ts';
export type { RerenderOptions } from './engine/rerender/rerender-options.ts';
export type { Rerendering, TurnDifference } from './inspect/rerender/rerendered-turn.ts';
export type { StateAt, StateQuery } from './inspect/state/state-at.ts';
export type { TurnFilter } from './inspect/filter-turns.ts';
export type { PeopleNote } from './core/events/people-note.ts';
export type { ProfileEdit } from './core/events/profile-edit.ts';
export type { Recording } from './core/recording/recording.ts';
export type { RunSubscriber } from './engine/subscribers.ts';
export type { CodedObserver, ObserverResult, ObserverView } from './core/env.ts';
export type { CadreEvent, EventOf, EventType } from './core/events/event.ts';
export type { Ingestor, IngestorView } from './core/inbox/ingestor.ts';
export type { InboxItem } from './core/inbox/inbox.ts';
export type { Commit, ContentEntry, Journal, Lease, RunsFilter, RunSummary } from './core/events/journal.ts';
export type { JsonObject, JsonSchema, JsonValue } from './core/json.ts';
export type { LlmConfig } from './core/model/llm-config.ts';
export type { Content, ContentPart, PromptMessage } from './core/prompt/message.ts';
export type { CompiledProfile, Diagnostic, Limits, ProfileFile, ProfileSet } from './core/profile/profile.ts';
export type { DraftModule, DraftObject, DraftValue, Recipe, StateDraft } from './core/patches/state-draft.ts';
export type { Patch } from './core/patches/patch.ts';
export type { RunContext } from './core/state/run-context.ts';
export type { SubContext } from './core/state/sub-context.ts';
export type { TeamState } from './core/state/team-state.ts';
export type { Action, ExecPorts, Node } from './nodes/turn/node.ts';
export type { Tool, ToolContext } from './core/tool/tool.ts';
export type { ReturnedItem, ToolReturn, ToolReturnFields } from './core/tool/tool-return.ts';
export type { ResourceScope, ResourceScopes, Resource } from './core/tool/resource-scope.ts';
export type { Toolset, ToolsetHealth, ToolsetHost, ToolsetKind, ToolsetRequest } from './core/tool/toolset.ts';
export type { ToolsetConfig } from './core/tool/toolset-config.ts';
export type { LanguageModel } from './models/adapter/ai-sdk-model.ts';
export type { GivenTool } from './tools/given-tool.ts';
export type { NodeFunction } from './nodes/turn/function-node.ts';
export type { TurnRecord } from './inspect/turn/turn-record.ts';
export type { WhyAnswer } from './inspect/why/why.ts';
