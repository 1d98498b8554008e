import { toStatePatch } from '../../src/core/patches/change-state.ts';
import { patchedState } from '../../src/core/patches/state-patch.ts';
import { runRecipe } from '../../src/observers/state-recipe.ts';
import { agentScope } from '../../src/core/state/agent-scope.ts';
import type { CadreEvent, EventDraft } from '../../src/core/events/event.ts';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import type { AgentTools } from '../../src/core/env.ts';
import type { TurnViewEnv } from '../../src/core/state/turn-view.ts';
import type { AgentId, CallId, ContentHash, ItemId, RunId, TurnId } from '../../src/core/ids.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json.ts';
import type { CompiledProfile, HandoverProtocol, Limits } from '../../src/core/profile/profile.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { TransitionTool } from '../../src/core/tool/tool.ts';
import { moduleChanges } from '../../src/core/team/module-changes.ts';
import { stateQuotes } from '../../src/core/untrusted/quote-state.ts';
import { addressOf } from '../../src/journal/codec/text-address.ts';
import type { ResumeCause, TransitionContext, TransitionOutcome } from '../../src/core/tool/transition.ts';
import type { WorkModule } from '../../src/core/team/work-module.ts';
import { createTeamTools, type TeamToolOptions } from '../../src/team/create-team-tools.ts';
import type { Suspension, WaitFor } from '../../src/core/tool/wait-for.ts';
import { plainProfile as profile } from '../support/plain-profile.ts';
import { someCapability } from '../support/some-capability.ts';

const limits: Limits = {
  maxTurns: 50,
  maxToolCalls: 200,
  maxTokens: 1_000_000,
  maxCostUsd: 10,
  maxWallMs: 600_000,
  maxDepth: 4,
  maxChildren: 100,
  maxLive: 1_000,
  maxTotal: 1_000,
  softAt: 0.8,
};

const standardProfiles = [
  profile('Partner', { type: 'partner', availableForStaffing: false }),
  profile('Principal', { type: 'principal', availableForStaffing: false }),
  profile('Researcher'),
  profile('Writer'),
];

/** What a call came to: its result as text and, when it is JSON, as data; or that it waits. */
export interface CallResult {
  readonly callId: CallId;
  readonly suspended: boolean;
  readonly text: string;
  readonly data: JsonObject;
  readonly isError: boolean;
  readonly outcome: TransitionOutcome;
}

export interface TeamRunOptions extends TeamToolOptions {
  readonly profiles?: readonly CompiledProfile[];
  readonly protocols?: readonly HandoverProtocol[];
  readonly limits?: Partial<Limits>;
  /** Tools besides those of the team. */
  readonly tools?: readonly TransitionTool[];
}

/** A run that is driven by hand: real state and fold, real tools, no models. */
export class TeamRun {
  readonly run: RunContext;
  readonly events: CadreEvent[] = [];
  readonly partner: AgentId;
  readonly results = new Map<CallId, CallResult>();
  readonly #profiles: ReadonlyMap<string, CompiledProfile>;
  readonly #protocols: ReadonlyMap<string, HandoverProtocol>;
  readonly #tools: ReadonlyMap<string, TransitionTool>;
  #calls = 0;

  constructor(options: TeamRunOptions = {}) {
    const profiles = [...standardProfiles, ...(options.profiles ?? [])];
    this.#profiles = new Map(profiles.map((entry) => [entry.name, entry]));
    this.#protocols = new Map((options.protocols ?? []).map((entry) => [entry.name, entry]));
    const tools = [...createTeamTools(options), ...(options.tools ?? [])];
    this.#tools = new Map(tools.flatMap((tool) => (tool.kind === 'transition' ? [[tool.name, tool]] : [])));
    this.run = startRun({
      type: 'run.start',
      runId: 'run_1' as RunId,
      seq: 1,
      at: 1_000,
      profile: 'Partner',
      title: 'A test',
      input: 'Which one?',
      profiles: 'hash' as ContentHash,
      limits: { ...limits, ...options.limits },
      engineVersion: '0',
    });
    this.partner = this.start('Partner');
  }

  get modules(): Readonly<Record<string, WorkModule>> {
    return this.run.team.workModules;
  }

  module(id: string): WorkModule {
    const module = this.modules[id];
    if (module === undefined) throw new Error(`no module ${id}`);
    return module;
  }

  agent(id: AgentId): SubContext {
    const agent = this.run.agents.get(id);
    if (agent === undefined) throw new Error(`no agent ${id}`);
    return agent;
  }

  emit(draft: EventDraft): void {
    const event: CadreEvent = { ...draft, runId: this.run.meta.runId, seq: this.run.seq + 1, at: this.run.at + 1 };
    applyEvent(this.run, event);
    this.events.push(event);
  }

  /** Starts an agent without any tool. */
  start(profileName: string, parentAgentId?: AgentId): AgentId {
    const agentId = this.#agentIds([profileName])[0];
    const known = this.#profiles.get(profileName);
    if (agentId === undefined || known === undefined) throw new Error(`no profile ${profileName}`);
    this.emit({
      type: 'agent.start',
      agentId,
      ...(parentAgentId === undefined ? {} : { parentAgentId }),
      profile: profileName,
      profileType: known.type,
      depth: parentAgentId === undefined ? 0 : this.agent(parentAgentId).meta.depth + 1,
      initialParams: {},
      flowId: 'flow_1',
    });
    return agentId;
  }

  /** Lets an agent read its inbox and say something, in a turn of its own or in the one that is open. */
  say(agentId: AgentId, text: string): void {
    const turnId = this.#openTurn(agentId);
    this.#reply(agentId, turnId, text);
    this.emit({ type: 'turn.end', agentId, turnId, status: 'completed' });
  }

  /** Calls a tool for an agent, in a turn of its own or in the one that is open. */
  call(agentId: AgentId, name: string, args: JsonObject, text = ''): CallResult {
    const turnId = this.#openTurn(agentId);
    if (text !== '') this.#reply(agentId, turnId, text);
    const callId = `c${++this.#calls}` as CallId;
    this.emit({ type: 'tool.request', agentId, turnId, callId, name, args });
    const tool = this.tool(name);
    const checked = tool.check(args);
    if (!checked.ok) throw new Error(`${name}: ${JSON.stringify(checked.errors)}`);
    return this.#conclude(agentId, turnId, callId, tool.run(args, this.context(agentId, turnId, callId)));
  }

  tool(name: string): TransitionTool {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  }

  /** Ends an agent and tells those that wait for it. */
  end(
    agentId: AgentId,
    outcome: string,
    result: { readonly output?: string; readonly deliverables?: JsonObject; readonly error?: string } = {},
  ): void {
    this.endSilently(agentId, outcome, result);
    this.tell(agentId);
  }

  endSilently(
    agentId: AgentId,
    outcome: string,
    result: { readonly output?: string; readonly deliverables?: JsonObject; readonly error?: string } = {},
  ): void {
    this.emit({
      type: 'agent.end',
      agentId,
      outcome,
      output: result.output ?? '',
      deliverables: result.deliverables ?? {},
      ...(result.error === undefined ? {} : { error: { code: 'TOOL_FAILED', message: result.error } }),
    });
  }

  tell(ended: AgentId): void {
    for (const agent of this.run.agents.values()) {
      if (agent.status === 'ended') continue;
      const open = [...agent.calls.open.values()];
      for (const call of open) {
        if (call.waitFor?.kind === 'agents' && call.waitFor.agentIds.includes(ended))
          this.resume(agent.meta.agentId, call.callId, { kind: 'agent_ended', agentId: ended });
      }
    }
  }

  resume(agentId: AgentId, callId: CallId, happening: ResumeCause): void {
    const call = this.agent(agentId).calls.open.get(callId);
    if (call === undefined) throw new Error(`no open call ${callId}`);
    const { name, args, turnId } = call.request;
    const outcome = this.tool(name).resume?.(args ?? {}, this.context(agentId, turnId, callId), happening, call.memo);
    if (outcome !== undefined) this.#conclude(agentId, turnId, callId, outcome);
  }

  result(callId: CallId): CallResult {
    const result = this.results.get(callId);
    if (result === undefined) throw new Error(`call ${callId} has no result`);
    return result;
  }

  /** The agents of a module, newest last. */
  associates(moduleId: string): readonly AgentId[] {
    return this.module(moduleId).assignee_history.map((entry) => entry.agent_id);
  }

  /** What scopes need besides state; agents of such a run have no tools. */
  get env(): TurnViewEnv {
    const none: AgentTools = { tools: new Map(), offered: [], offeredJson: '[]', description: '', outside: [], taint: [] };
    return { profiles: this.#profiles, toolsOf: () => none };
  }

  context(agentId: AgentId, turnId: TurnId, callId: CallId): TransitionContext {
    const agent = this.agent(agentId);
    let items = 0;
    return {
      at: this.run.at,
      run: this.run,
      agent,
      callId,
      turnId,
      scope: agentScope(this.env, this.run, agent),
      shownArgs: agent.calls.open.get(callId)?.args ?? {},
      argsTaint: undefined,
      quotes: (more) => stateQuotes({ ...this.env, hash: addressOf }, { run: this.run, agent, more, isTask: true }, callId),
      profiles: this.#profiles,
      protocols: this.#protocols,
      agentIds: (names) => this.#agentIds(names),
      item: (to, source, payload, options) => this.#item(to, source, payload, (items += 1), options?.noHandover === true),
      change: (recipe, { moves: actor = 'planner', on = this.run } = {}) => {
        const owner = { owner: 'the tool', actor, created: on.counters.modules, at: this.run.at };
        const event = toStatePatch(runRecipe(patchedState(on, agent), recipe, owner), { agentId, turnId, by: 'tool' });
        return event === undefined ? [] : [event];
      },
      changeModules: (modules, { moves: actor = 'planner', on = this.run } = {}) => {
        const owner = { actor, created: on.counters.modules, at: this.run.at };
        const event = toStatePatch(moduleChanges(on.team.workModules, modules, owner), { agentId, turnId, by: 'tool' });
        return event === undefined ? [] : [event];
      },
      check: (_, value) => ({ ok: true, args: isJsonObject(value) ? value : {} }),
    };
  }

  #item(to: AgentId, source: string, payload: JsonValue, offset: number, noHandover: boolean): EventDraft {
    const itemId = `i${this.run.counters.items + offset}` as ItemId;
    const params = noHandover ? { ingestorParams: { no_handover: true } } : {};
    return {
      type: 'inbox.add',
      agentId: to,
      item: { itemId, source, payload, consumption: 'consume_on_read', delivery: 'next', ...params },
    };
  }

  #agentIds(names: readonly string[]): readonly AgentId[] {
    return names.map((name, index) => `${name}_${this.run.counters.agents + 1 + index}` as AgentId);
  }

  #openTurn(agentId: AgentId): TurnId {
    const agent = this.agent(agentId);
    if (agent.turn.currentId !== undefined) return agent.turn.currentId;
    const turnId = `${agentId}.t${agent.turn.count + 1}` as TurnId;
    const inputs = agent.inbox.items.map(({ item }) => ({
      itemId: item.itemId,
      source: item.source,
      strategy: 'global' as const,
      ingestor: 'test',
      mode: 'append_as_new_message' as const,
      role: 'user' as const,
      persistent: true,
      content: JSON.stringify(item.payload),
      ...(item.ingestorParams?.['no_handover'] === true ? { noHandover: true } : {}),
    }));
    this.emit({
      type: 'turn.start',
      agentId,
      turnId,
      turnType: 'agent',
      flowId: agent.turn.flowId,
      sourceTurnIds: [],
      inputs,
      observers: [],
    });
    return turnId;
  }

  #reply(agentId: AgentId, turnId: TurnId, text: string): void {
    this.emit({
      type: 'model.end',
      agentId,
      turnId,
      reply: { text, reasoning: '', toolCalls: [], finishReason: 'stop' },
      usage: {},
      attempts: [],
    });
  }

  #conclude(agentId: AgentId, turnId: TurnId, callId: CallId, outcome: TransitionOutcome): CallResult {
    for (const draft of outcome.events ?? []) this.emit(draft);
    if (outcome.kind === 'suspend') {
      this.emit({ type: 'tool.suspend', agentId, turnId, callId, on: recorded(outcome.on), memo: outcome.memo });
      return { callId, suspended: true, text: '', data: {}, isError: false, outcome };
    }
    const text = typeof outcome.content === 'string' ? outcome.content : JSON.stringify(outcome.content);
    const isError = outcome.isError === true;
    const result: CallResult = {
      callId,
      suspended: false,
      text,
      data: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {},
      isError,
      outcome,
    };
    this.results.set(callId, result);
    this.emit({ type: 'tool.end', agentId, turnId, callId, status: isError ? 'error' : 'ok', content: text, ms: 0 });
    const {
      calls: { open: openCalls },
    } = this.agent(agentId);
    if (openCalls.size === 0) this.emit({ type: 'turn.end', agentId, turnId, status: 'completed' });
    if (outcome.end !== undefined)
      this.endSilently(agentId, outcome.end.outcome, {
        output: outcome.end.output ?? '',
        deliverables: outcome.end.deliverables ?? {},
      });
    return result;
  }
}

function recorded(on: Suspension): WaitFor {
  return on.kind === 'question' ? { ...on, fingerprint: someCapability.fingerprint } : on;
}
