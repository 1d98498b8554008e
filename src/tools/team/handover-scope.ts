import type { Scope } from '../../core/expression/roots.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AgentState, RunState } from '../../core/state.ts';
import type { ModuleArchive, WorkModule } from '../../core/work-module.ts';
import { handoverMessages } from './message-text.ts';

/** The agent a handover takes things from, and its surroundings. */
export interface HandoverSource {
  readonly run: RunState;
  readonly agent: AgentState;
  /** The roots conditions see, for that agent. */
  readonly scope: Scope;
  /** The work modules as they will stand when the briefing is read, if that differs from `run`. */
  readonly modules?: Readonly<Record<string, WorkModule>>;
}

/**
 * The roots a handover's paths and conditions read: those of the source agent, where `params` and
 * `state.current_action.parameters` are the parameters of the handover (D1.33), and messages are what may be handed over.
 * `context_archive[n].messages` is there to be addressed, but is not part of a module that is read as a whole.
 */
export function handoverScope(source: HandoverSource, params: JsonObject): Scope {
  const { agent, scope } = source;
  return overlay(scope, {
    params: () => params,
    state: () =>
      overlay(scope['state'], {
        messages: () => handoverMessages(agent),
        current_action: () => ({ ...agent.currentAction, parameters: params }),
      }),
    team: () => overlay(scope['team'], { work_modules: () => moduleViewsOf(source) }),
  });
}

/** An object with the own fields of another, some of them replaced; everything is read only when it is asked for, and once. */
function overlay(base: unknown, replaced: Readonly<Record<string, () => unknown>>): Scope {
  const view: Record<string, unknown> = {};
  const define = (key: string, read: () => unknown): void => {
    let value: { readonly read: unknown } | undefined;
    Object.defineProperty(view, key, { enumerable: true, configurable: true, get: () => (value ??= { read: read() }).read });
  };
  if (typeof base === 'object' && base !== null) {
    const fields = base as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(fields)) if (!Object.hasOwn(replaced, key)) define(key, () => fields[key]);
  }
  for (const [key, read] of Object.entries(replaced)) define(key, read);
  return view;
}

/** Modules a caller hands in belong to one dispatch, whose briefings share one view of them. */
const sharedViews = new WeakMap<object, Readonly<Record<string, unknown>>>();

function moduleViewsOf({ run, modules }: HandoverSource): Readonly<Record<string, unknown>> {
  if (modules === undefined) return moduleViews(run, run.team.workModules);
  const known = sharedViews.get(modules) ?? moduleViews(run, modules);
  sharedViews.set(modules, known);
  return known;
}

function moduleViews(run: RunState, modules: Readonly<Record<string, WorkModule>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(modules).map(([id, module]) => {
    if (module.context_archive.length === 0) return [id, module] as const;
    return [id, { ...module, context_archive: module.context_archive.map((archive) => archiveView(run, archive)) }] as const;
  });
  return Object.fromEntries(entries);
}

/** An archived attempt whose messages are read from its agent, and only when they are addressed. */
function archiveView(run: RunState, archive: ModuleArchive): object {
  return Object.defineProperty({ ...archive }, 'messages', {
    enumerable: false,
    get: () => {
      const agent = run.agents.get(archive.agent_id as AgentId);
      return agent === undefined ? [] : handoverMessages(agent, archive.message_count);
    },
  });
}
