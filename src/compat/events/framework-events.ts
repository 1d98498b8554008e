import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';
import { type Detail, answerOf, summaryOf } from './framework-answer.ts';

const names = [
  'request_start',
  'orchestrator_start',
  'orchestrator_phase_start',
  'orchestrator_phase_end',
  'orchestrator_end',
  'synthesis_start',
  'synthesis_end',
  'manager_start',
  'manager_script_planned',
  'manager_step_start',
  'manager_step_end',
  'manager_end',
  'delegation_planned',
  'delegation_chosen',
  'delegation_executed',
  'agent_start',
  'agent_end',
  'worker_tool_call',
  'worker_tool_result',
  'action_planned',
  'action_executed',
  'policy_denied',
  'error',
] as const;

type Name = (typeof names)[number];
type Role = 'orchestrator' | 'manager' | 'worker' | 'synthesizer';
type Status = 'success' | 'error' | 'pending';

/** Event names of agent_framework, with the actor (`actor`), the status (`status`) and the subject (`result_detail`). */
export const agentFramework: Dialect = {
  names,
  create: () => {
    const translator = new FrameworkTranslator();
    return (event) => translator.translate(event);
  },
};

/** Roles by the type of the profile; any other type is a worker. */
const roles: ReadonlyMap<string, Role> = new Map([
  ['orchestrator', 'orchestrator'],
  ['partner', 'orchestrator'],
  ['manager', 'manager'],
  ['principal', 'manager'],
  ['synthesizer', 'synthesizer'],
]);

const starts = {
  orchestrator: 'orchestrator_start',
  manager: 'manager_start',
  worker: 'agent_start',
  synthesizer: 'synthesis_start',
} as const;
const ends = {
  orchestrator: 'orchestrator_end',
  manager: 'manager_end',
  worker: 'agent_end',
  synthesizer: 'synthesis_end',
} as const;

/** Toolsets whose calls start other agents. */
const delegating: ReadonlySet<string> = new Set(['agents', 'phases', 'dispatch_tools', 'launch_tools']);

/** Outcomes of agents that failed. */
const failures: ReadonlySet<string> = new Set(['error', 'limit', 'stagnation', 'cancelled', 'refused']);

interface Actor {
  readonly agentId: AgentId;
  readonly role: Role;
  readonly name: string;
  readonly parent: AgentId | undefined;
  readonly task: { readonly module: string; readonly name: string } | undefined;
}

interface EventParts extends Detail {
  readonly name: Name;
  readonly status: Status;
}

/** Translates the events of one run; depends only on the events it received. */
class FrameworkTranslator {
  readonly #actors = new Map<AgentId, Actor>();
  readonly #calls = new Map<CallId, EventOf<'tool.request'>>();
  #version = '';

  translate(event: CadreEvent): readonly ForeignEvent[] {
    switch (event.type) {
      case 'run.start':
        this.#version = event.engineVersion;
        return [
          this.#emit(event, undefined, {
            name: 'request_start',
            status: 'pending',
            operation: 'request',
            payload: event.input,
            summary: event.title,
          }),
        ];
      case 'agent.start':
        return this.#startAgent(event);
      case 'agent.restart':
        return this.#actorOf(event, (actor) => this.#delegated(event, actor));
      case 'agent.await':
        return event.checkpoint === undefined ? [] : this.#atCheckpoint(event, event.checkpoint);
      case 'agent.end':
        return this.#actorOf(event, (actor) => this.#endAgent(event, actor));
      case 'model.end':
        return this.#actorOf(event, (actor) => (event.error === undefined ? [] : [this.#failed(event, actor, event.error)]));
      case 'tool.request':
        this.#calls.set(event.callId, event);
        return this.#actorOf(event, (actor) => this.#planned(event, actor));
      case 'tool.start':
        return this.#callOf(event, (actor, call) =>
          actor.role === 'worker' && event.attempt === 1 ? [this.#called(event, actor, call)] : [],
        );
      case 'tool.suspend':
        return event.on.kind === 'agents' ? [] : this.#callOf(event, (actor, call) => [this.#asked(event, actor, call)]);
      case 'tool.end':
        return this.#callOf(event, (actor, call) => {
          this.#calls.delete(event.callId);
          return this.#ended(event, actor, call);
        });
      default:
        return [];
    }
  }

  #startAgent(event: EventOf<'agent.start'>): readonly ForeignEvent[] {
    const { agentId, profile, profileType, parentAgentId: parent, moduleId, roleName } = event;
    const task = moduleId === undefined ? undefined : { module: moduleId, name: roleName ?? profile };
    const actor: Actor = { agentId, role: roles.get(profileType) ?? 'worker', name: profile, parent, task };
    this.#actors.set(agentId, actor);
    return this.#delegated(event, actor);
  }

  /** Translates the start of an agent's work, new or restarted. */
  #delegated(event: CadreEvent, actor: Actor): readonly ForeignEvent[] {
    const caller = this.#callerOf(actor);
    const data = dataOf(actor);
    const chosen =
      caller === undefined
        ? []
        : [this.#emit(event, caller, { name: 'delegation_chosen', status: 'pending', operation: 'delegate', data })];
    const step =
      caller === undefined ? [] : this.#step(event, caller, { actor, status: 'pending', detail: { operation: 'phase', data } });
    return [
      ...chosen,
      ...step,
      this.#emit(event, actor, { name: starts[actor.role], status: 'pending', operation: 'start', data }),
    ];
  }

  #endAgent(event: EventOf<'agent.end'>, actor: Actor): readonly ForeignEvent[] {
    const status = failures.has(event.outcome) || event.error !== undefined ? 'error' : 'success';
    const detail = { ...answerOf(event), data: { ...dataOf(actor), outcome: event.outcome } };
    const failed = event.error === undefined ? [] : [this.#failed(event, actor, event.error)];
    const end = this.#emit(event, actor, { name: ends[actor.role], status, ...detail });
    const caller = this.#callerOf(actor);
    if (caller === undefined) return [...failed, end];
    const executed = this.#emit(event, caller, { name: 'delegation_executed', status, ...detail });
    return [...failed, end, ...this.#step(event, caller, { actor, status, detail }), executed];
  }

  /** Translates work on a module: a phase of an orchestrator, or a step of a manager. */
  #step(
    event: CadreEvent,
    caller: Actor,
    { actor: { task }, status, detail }: { readonly actor: Actor; readonly status: Status; readonly detail: Detail },
  ): readonly ForeignEvent[] {
    if (task === undefined || caller.role === 'worker' || caller.role === 'synthesizer') return [];
    const kind = caller.role === 'orchestrator' ? 'orchestrator_phase' : 'manager_step';
    return [this.#emit(event, caller, { name: `${kind}_${status === 'pending' ? 'start' : 'end'}`, status, ...detail })];
  }

  #planned(event: EventOf<'tool.request'>, actor: Actor): readonly ForeignEvent[] {
    const detail = { operation: event.name, payload: { tool: event.name, args: event.args } };
    if (event.toolset === undefined || !delegating.has(event.toolset))
      return [this.#emit(event, actor, { name: 'action_planned', status: 'pending', ...detail })];
    const script = actor.role === 'manager' && event.name === 'run_plan';
    return [
      this.#emit(event, actor, { name: script ? 'manager_script_planned' : 'delegation_planned', status: 'pending', ...detail }),
    ];
  }

  #called(event: EventOf<'tool.start'>, actor: Actor, { name, args }: EventOf<'tool.request'>): ForeignEvent {
    return this.#emit(event, actor, {
      name: 'worker_tool_call',
      status: 'pending',
      operation: name,
      payload: { tool: name, args },
    });
  }

  #asked(event: EventOf<'tool.suspend'>, actor: Actor, { name: tool, args }: EventOf<'tool.request'>): ForeignEvent {
    const { on } = event;
    const message = on.kind === 'question' ? on.prompt : on.kind === 'approval' ? (on.message ?? '') : '';
    const payload = { await_approval: on.kind === 'approval', tool, args, message };
    return this.#emit(event, actor, {
      name: 'action_planned',
      status: 'pending',
      operation: 'await_approval',
      payload,
      summary: message,
    });
  }

  #atCheckpoint(
    event: EventOf<'agent.await'>,
    { id, prompt }: { readonly id: string; readonly prompt: string },
  ): readonly ForeignEvent[] {
    const detail = { operation: 'await_approval', payload: { checkpoint: true, id, message: prompt }, summary: prompt };
    return this.#actorOf(event, (actor) => [this.#emit(event, actor, { name: 'action_planned', status: 'pending', ...detail })]);
  }

  #ended(event: EventOf<'tool.end'>, actor: Actor, call: EventOf<'tool.request'>): readonly ForeignEvent[] {
    const { name: tool, args } = call;
    const text = contentText(event.content);
    if (event.status === 'denied') {
      const message = event.error?.message ?? text;
      return [
        this.#emit(event, actor, {
          name: 'policy_denied',
          status: 'error',
          operation: tool,
          payload: { tool, args, message },
          summary: message,
        }),
      ];
    }
    const isOk = event.status === 'ok';
    const error = {
      success: false,
      error: true,
      error_message: event.error?.message ?? text,
      error_type: event.error?.code ?? event.status,
      tool,
    };
    const detail = { operation: tool, payload: isOk ? text : error, summary: summaryOf(text) };
    const status = isOk ? 'success' : 'error';
    const result = actor.role === 'worker' ? [this.#emit(event, actor, { name: 'worker_tool_result', status, ...detail })] : [];
    return [...result, this.#emit(event, actor, { name: 'action_executed', status, ...detail })];
  }

  #failed(event: CadreEvent, actor: Actor, { code, message }: { readonly code: string; readonly message: string }): ForeignEvent {
    return this.#emit(event, actor, {
      name: 'error',
      status: 'error',
      operation: 'error',
      payload: { error_type: code, error_message: message },
      summary: message,
    });
  }

  #emit(event: CadreEvent, actor: Actor | undefined, { name, status, ...detail }: EventParts): ForeignEvent {
    const { operation, payload = null, summary = '', data = {} } = detail;
    return {
      event: name,
      seq: event.seq,
      timestamp: new Date(event.at).toISOString(),
      job_id: event.runId,
      actor: { role: actor?.role ?? 'user', name: actor?.name ?? 'user', version: this.#version },
      status,
      result_detail: { operation, payload, summary, data: actor === undefined ? data : { agent_id: actor.agentId, ...data } },
    };
  }

  #callerOf(actor: Actor): Actor | undefined {
    return actor.parent === undefined ? undefined : this.#actors.get(actor.parent);
  }

  #actorOf(
    { agentId }: { readonly agentId: AgentId },
    translate: (actor: Actor) => readonly ForeignEvent[],
  ): readonly ForeignEvent[] {
    const actor = this.#actors.get(agentId);
    return actor === undefined ? [] : translate(actor);
  }

  #callOf(
    event: { readonly agentId: AgentId; readonly callId: CallId },
    translate: (actor: Actor, call: EventOf<'tool.request'>) => readonly ForeignEvent[],
  ): readonly ForeignEvent[] {
    const call = this.#calls.get(event.callId);
    return call === undefined ? [] : this.#actorOf(event, (actor) => translate(actor, call));
  }
}

function dataOf({ name, task }: Actor): JsonObject {
  return { worker: name, ...(task === undefined ? {} : { module_id: task.module, step: task.name }) };
}
