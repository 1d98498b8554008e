import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';

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

/** The names of agent_framework: who did it (`actor`), how it came out (`status`), and what it was about (`result_detail`). */
export const agentFramework: Dialect = {
  names,
  create: () => {
    const teller = new FrameworkTeller();
    return (event) => teller.take(event);
  },
};

/** What an agent is there, by the type of its profile; every other type is a worker. */
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

/** Toolsets whose calls put other agents to work. */
const delegating: ReadonlySet<string> = new Set(['agents', 'phases', 'dispatch_tools', 'launch_tools']);

/** Outcomes that did not do the work. */
const failures: ReadonlySet<string> = new Set(['error', 'limit', 'stagnation', 'cancelled', 'refused']);

interface Actor {
  readonly agentId: AgentId;
  readonly role: Role;
  readonly name: string;
  readonly parent: AgentId | undefined;
  readonly task: { readonly module: string; readonly name: string } | undefined;
}

interface Detail {
  readonly operation: string;
  readonly payload?: JsonValue;
  readonly summary?: string;
  readonly data?: JsonObject;
}

/** Tells one run; knows of it what it was told. */
class FrameworkTeller {
  readonly #actors = new Map<AgentId, Actor>();
  readonly #calls = new Map<CallId, EventOf<'tool.request'>>();
  #version = '';

  take(event: CadreEvent): readonly ForeignEvent[] {
    switch (event.type) {
      case 'run.start':
        this.#version = event.engineVersion;
        return [
          this.#tell(event, 'request_start', undefined, 'pending', {
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

  /** Somebody put an agent to work: a new one, or one that goes on. */
  #delegated(event: CadreEvent, actor: Actor): readonly ForeignEvent[] {
    const boss = this.#bossOf(actor);
    const data = dataOf(actor);
    const chosen =
      boss === undefined ? [] : [this.#tell(event, 'delegation_chosen', boss, 'pending', { operation: 'delegate', data })];
    const step = boss === undefined ? [] : this.#step(event, boss, actor, 'pending', { operation: 'phase', data });
    return [...chosen, ...step, this.#tell(event, starts[actor.role], actor, 'pending', { operation: 'start', data })];
  }

  #endAgent(event: EventOf<'agent.end'>, actor: Actor): readonly ForeignEvent[] {
    const status = failures.has(event.outcome) || event.error !== undefined ? 'error' : 'success';
    const detail = { ...answerOf(event), data: { ...dataOf(actor), outcome: event.outcome } };
    const failed = event.error === undefined ? [] : [this.#failed(event, actor, event.error)];
    const end = this.#tell(event, ends[actor.role], actor, status, detail);
    const boss = this.#bossOf(actor);
    if (boss === undefined) return [...failed, end];
    const executed = this.#tell(event, 'delegation_executed', boss, status, detail);
    return [...failed, end, ...this.#step(event, boss, actor, status, detail), executed];
  }

  /** Work on a module is a phase of an orchestrator, and a step of a manager. */
  #step(event: CadreEvent, boss: Actor, { task }: Actor, status: Status, detail: Detail): readonly ForeignEvent[] {
    if (task === undefined || boss.role === 'worker' || boss.role === 'synthesizer') return [];
    const kind = boss.role === 'orchestrator' ? 'orchestrator_phase' : 'manager_step';
    return [this.#tell(event, `${kind}_${status === 'pending' ? 'start' : 'end'}`, boss, status, detail)];
  }

  #planned(event: EventOf<'tool.request'>, actor: Actor): readonly ForeignEvent[] {
    const detail = { operation: event.name, payload: { tool: event.name, args: event.args } };
    if (event.toolset === undefined || !delegating.has(event.toolset))
      return [this.#tell(event, 'action_planned', actor, 'pending', detail)];
    const script = actor.role === 'manager' && event.name === 'run_plan';
    return [this.#tell(event, script ? 'manager_script_planned' : 'delegation_planned', actor, 'pending', detail)];
  }

  #called(event: EventOf<'tool.start'>, actor: Actor, { name, args }: EventOf<'tool.request'>): ForeignEvent {
    return this.#tell(event, 'worker_tool_call', actor, 'pending', { operation: name, payload: { tool: name, args } });
  }

  #asked(event: EventOf<'tool.suspend'>, actor: Actor, { name: tool, args }: EventOf<'tool.request'>): ForeignEvent {
    const { on } = event;
    const message = on.kind === 'question' ? on.prompt : on.kind === 'approval' ? (on.message ?? '') : '';
    const payload = { await_approval: on.kind === 'approval', tool, args, message };
    return this.#tell(event, 'action_planned', actor, 'pending', { operation: 'await_approval', payload, summary: message });
  }

  #atCheckpoint(
    event: EventOf<'agent.await'>,
    { id, prompt }: { readonly id: string; readonly prompt: string },
  ): readonly ForeignEvent[] {
    const detail = { operation: 'await_approval', payload: { checkpoint: true, id, message: prompt }, summary: prompt };
    return this.#actorOf(event, (actor) => [this.#tell(event, 'action_planned', actor, 'pending', detail)]);
  }

  #ended(event: EventOf<'tool.end'>, actor: Actor, call: EventOf<'tool.request'>): readonly ForeignEvent[] {
    const { name: tool, args } = call;
    const text = contentText(event.content);
    if (event.status === 'denied') {
      const message = event.error?.message ?? text;
      return [
        this.#tell(event, 'policy_denied', actor, 'error', { operation: tool, payload: { tool, args, message }, summary: message }),
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
    const result = actor.role === 'worker' ? [this.#tell(event, 'worker_tool_result', actor, status, detail)] : [];
    return [...result, this.#tell(event, 'action_executed', actor, status, detail)];
  }

  #failed(event: CadreEvent, actor: Actor, { code, message }: { readonly code: string; readonly message: string }): ForeignEvent {
    return this.#tell(event, 'error', actor, 'error', {
      operation: 'error',
      payload: { error_type: code, error_message: message },
      summary: message,
    });
  }

  #tell(event: CadreEvent, name: Name, actor: Actor | undefined, status: Status, detail: Detail): ForeignEvent {
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

  #bossOf(actor: Actor): Actor | undefined {
    return actor.parent === undefined ? undefined : this.#actors.get(actor.parent);
  }

  #actorOf({ agentId }: { readonly agentId: AgentId }, tell: (actor: Actor) => readonly ForeignEvent[]): readonly ForeignEvent[] {
    const actor = this.#actors.get(agentId);
    return actor === undefined ? [] : tell(actor);
  }

  #callOf(
    event: { readonly agentId: AgentId; readonly callId: CallId },
    tell: (actor: Actor, call: EventOf<'tool.request'>) => readonly ForeignEvent[],
  ): readonly ForeignEvent[] {
    const call = this.#calls.get(event.callId);
    return call === undefined ? [] : this.#actorOf(event, (actor) => tell(actor, call));
  }
}

function dataOf({ name, task }: Actor): JsonObject {
  return { worker: name, ...(task === undefined ? {} : { module_id: task.module, step: task.name }) };
}

/** How an agent ended as a final answer: what it delivered may say so itself (`final_response`), else its words are shown. */
function answerOf({ deliverables: handedIn, output }: EventOf<'agent.end'>): Detail {
  const deliverables = Object.keys(handedIn).length === 0 ? answerIn(output) : handedIn;
  const { operation, payload, human_readable_summary: summary } = deliverables;
  if (typeof operation === 'string')
    return { operation, payload: payload ?? null, summary: typeof summary === 'string' ? summary : output };
  const said = deliverables['primary_summary'];
  const words = typeof said === 'string' ? said : output;
  const isEmpty = !isJsonObject(deliverables) || Object.keys(deliverables).length === 0;
  return { operation: 'display_message', payload: isEmpty ? { message: output } : deliverables, summary: words };
}

/** The answer of an agent that is held to JSON. */
function answerIn(output: string): JsonObject {
  if (!output.startsWith('{')) return {};
  try {
    const value = JSON.parse(output) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    // Words that only begin like JSON are words.
    return {};
  }
}

/** Most characters of a summary. */
const summaryChars = 200;

function summaryOf(text: string): string {
  return text.length <= summaryChars ? text : `${text.slice(0, summaryChars - 1).toWellFormed()}…`;
}
