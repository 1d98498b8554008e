import type { Scope } from '../../core/expression/roots.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { readableModule } from '../../core/team/readable-module.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ModuleArchive, WorkModule } from '../../core/team/work-module.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import type { StateQuotes } from '../../core/untrusted/quote-state.ts';
import { handoverMessages } from '../reports/message-text.ts';
import { handoverOrigins } from './handover-origins.ts';

/** The agent that hands over, with its context. */
export interface HandoverSource {
  readonly run: RunContext;
  readonly agent: SubContext;
  /** The agent's roots for conditions. */
  readonly scope: Scope;
  /** Work modules by id as of the reading of the briefing, if they differ from `run`. */
  readonly modules?: ReadonlyMap<string, WorkModule>;
  /** Frames untrusted text of its state. */
  readonly quotes: TransitionContext['quotes'];
}

/** Roots of one handover: values for conditions, and values to hand over, with work modules as models read them. */
export interface HandoverRoots {
  readonly conditions: Scope;
  readonly values: Scope;
}

/**
 * Roots that a handover's paths and conditions read: those of the source agent, where `params` and
 * `state.current_action.parameters` are the handover's parameters (D1.33), and messages are those that may be handed over.
 * `context_archive[n].messages` can be addressed, but is not part of a module that is read as a whole. One view serves all
 * handovers of a decision, since nothing else changes between them.
 */
export class HandoverView {
  readonly #scope: Scope;
  readonly #readable: Scope;
  readonly #source: HandoverSource;
  #params: JsonObject = {};

  constructor(source: HandoverSource) {
    const { agent, scope } = source;
    this.#source = source;
    const state = overlay(scope['state'], {
      messages: once(() => handoverMessages(agent.history)),
      current_action: () => ({ ...agent.turn.action, parameters: this.#params }),
    });
    const { run, modules } = source;
    const withModules = (read: (module: WorkModule) => object): Scope => {
      const team = overlay(scope['team'], {
        work_modules: once(() => moduleViews(run, modules?.entries() ?? Object.entries(run.team.workModules), read)),
      });
      return overlay(scope, { params: () => this.#params, state: () => state, team: () => team });
    };
    this.#scope = withModules((module) => module);
    this.#readable = withModules((module) => readableModule(module as unknown as JsonObject));
  }

  /** Returns the roots for a handover with these parameters; read them before the next call. */
  for(params: JsonObject): HandoverRoots {
    this.#params = params;
    return { conditions: this.#scope, values: this.#readable };
  }

  /** Begins to frame the untrusted text of one handover. */
  quotes(): StateQuotes {
    return this.#source.quotes(handoverOrigins(this.#source));
  }
}

/** Returns an object with some fields of another replaced; all fields are read lazily. */
function overlay(base: unknown, replaced: Readonly<Record<string, () => unknown>>): Scope {
  const view: Record<string, unknown> = {};
  const define = (key: string, read: () => unknown): void => {
    Object.defineProperty(view, key, { enumerable: true, configurable: true, get: read });
  };
  if (typeof base === 'object' && base !== null) {
    const fields = base as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(fields)) if (!Object.hasOwn(replaced, key)) define(key, () => fields[key]);
  }
  for (const [key, read] of Object.entries(replaced)) define(key, read);
  return view;
}

function once<Value>(read: () => Value): () => Value {
  let value: { readonly read: Value } | undefined;
  return () => (value ??= { read: read() }).read;
}

function moduleViews(
  run: RunContext,
  modules: Iterable<readonly [string, WorkModule]>,
  read: (module: WorkModule) => object,
): Readonly<Record<string, unknown>> {
  // Ids are names that no object inherits, since no patch may hold another.
  const views: Record<string, unknown> = {};
  for (const [id, module] of modules) {
    const view = read(module);
    views[id] = module.context_archive.length === 0 ? view : withArchives(run, view);
  }
  return views;
}

function withArchives(run: RunContext, view: object): object {
  if (!('context_archive' in view)) return view;
  const archives = view.context_archive as readonly ModuleArchive[];
  return { ...view, context_archive: archives.map((archive) => archiveView(run, archive)) };
}

/** An archived attempt that reads its agent's messages only when they are addressed. */
function archiveView(run: RunContext, archive: ModuleArchive): object {
  return Object.defineProperty({ ...archive }, 'messages', {
    enumerable: false,
    get: () => {
      const agent = run.agents.get(archive.agent_id as AgentId);
      return agent === undefined ? [] : handoverMessages(agent.history, archive.message_count);
    },
  });
}
