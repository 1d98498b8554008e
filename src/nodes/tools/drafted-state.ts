import { applyChanges } from '../../core/patches/apply-patches.ts';
import type { Changes } from '../../core/patches/patch.ts';
import { toStatePatch } from '../../core/patches/change-state.ts';
import { type PatchedState, patchedState } from '../../core/patches/state-patch.ts';
import { StateDiff } from '../../core/patches/diff-state.ts';
import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { updateState, StateEdit } from '../../core/patches/update-state.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ModuleUpdate, StateChange, StatePatch } from '../../core/events/team-events.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { emptyModule, type WorkModule } from '../../core/team/work-module.ts';
import { isMadeFrom } from './transition-context.ts';

/** A change that a tool drafted, in one of three forms. */
type ChangeDraft = StatePatch | StateChange | ModuleUpdate;

/**
 * State as the drafts of one decision leave it, for as much of it as they touch.
 *
 * Owns: that the changes a transition tool drafts fit, before any of them is an event. Does not own: what they are.
 * 1. `state.update` and `module.update`, which journals had before patches, become patches.
 * 2. A change that does not fit what the drafts before it leave is an error: the fold never meets it.
 * 3. A change that the context of the call made from the very state it meets fits, and is not tried.
 */
export class DraftedState {
  readonly #run: RunContext;
  readonly #by: string;
  readonly #at: number;
  readonly #slices = new Map<AgentId, Omit<PatchedState, 'team'>>();
  readonly #modules: Record<string, WorkModule> = {};
  #shared: JsonObject;
  /** The first change, when it was not tried; false before it. */
  #untried: StatePatch | false | undefined = false;

  constructor(run: RunContext, by: string, at: number) {
    this.#run = run;
    this.#by = by;
    this.#at = at;
    this.#shared = run.team.shared;
  }

  /** The events that drafts stand for. Throws when a change does not fit. */
  toEvents(drafts: readonly EventDraft[], turnId: TurnId): readonly EventDraft[] {
    return drafts.flatMap((draft): readonly EventDraft[] => {
      if (draft.type === 'state.patch' || draft.type === 'state.update' || draft.type === 'module.update') {
        const patch = this.#toPatch(draft, turnId);
        return patch === undefined ? [] : [patch];
      }
      if (draft.type === 'agent.end') this.#setDeliverables(draft.agentId, draft.deliverables);
      if (draft.type === 'agent.restart' && draft.keepsHistory === true) this.#setDeliverables(draft.agentId, {});
      return [draft];
    });
  }

  #toPatch(draft: ChangeDraft, turnId: TurnId): StatePatch | undefined {
    if (this.#untried === false && draft.type === 'state.patch' && isMadeFrom(draft, this.#run)) return (this.#untried = draft);
    this.#catchUp();
    return this.#tried(draft, turnId);
  }

  /** Applies the first change, if that is still to be done: from here on, drafts meet another state than the run's. */
  #catchUp(): void {
    const first = this.#untried;
    this.#untried = undefined;
    if (typeof first === 'object') this.#apply(first, this.#stateOf(first.agentId));
  }

  #tried(draft: ChangeDraft, turnId: TurnId): StatePatch | undefined {
    const agentId = 'agentId' in draft ? draft.agentId : undefined;
    const state = this.#stateOf(agentId);
    const given = 'by' in draft ? draft : { by: undefined, turnId: undefined };
    const place = { agentId, turnId: given.turnId ?? turnId, by: given.by ?? this.#by };
    const patch = toStatePatch(this.#changesOf(draft, state), place);
    if (patch !== undefined) this.#apply(patch, state);
    return patch;
  }

  #apply({ agentId, patches }: StatePatch, state: PatchedState): void {
    for (const { path } of patches) if (path[1] === 'work_modules') this.#load(String(path[2]));
    applyChanges(agentId === undefined ? { team: state.team } : state, patches);
    const { team, ...slices } = state;
    this.#shared = team.shared;
    if (agentId !== undefined) this.#slices.set(agentId, slices);
  }

  #changesOf(draft: ChangeDraft, state: PatchedState): Changes {
    switch (draft.type) {
      case 'state.patch':
        return draft;
      case 'state.update': {
        const edit = new StateEdit(state);
        updateState(edit, draft.scope === 'team' ? { ...draft, path: `team.shared.${draft.path}` } : draft);
        return edit;
      }
      case 'module.update': {
        const { moduleId: id, patch } = draft;
        const before = this.#load(id);
        const after = { ...(before ?? emptyModule(id, this.#at)), ...patch, updated_at: this.#at };
        const diff = new StateDiff();
        // A work module is JSON, which the compiler does not see in an interface: it has no index signature.
        diff.compare(['team', 'work_modules', id], before as unknown as JsonObject | undefined, after);
        return diff;
      }
    }
  }

  #stateOf(agentId: AgentId | undefined): PatchedState {
    const agent = agentId === undefined ? undefined : this.#run.agents.get(agentId);
    const own = (agentId === undefined ? undefined : this.#slices.get(agentId)) ?? patchedState(this.#run, agent);
    return { ...own, team: { shared: this.#shared, work_modules: this.#modules } };
  }

  #setDeliverables(agentId: AgentId, deliverables: JsonObject): void {
    this.#catchUp();
    const { team: _, ...slices } = this.#stateOf(agentId);
    this.#slices.set(agentId, { ...slices, deliverables });
  }

  /** Puts a module of the run where patches are tried. */
  #load(id: string): WorkModule | undefined {
    const { workModules } = this.#run.team;
    const known = Object.hasOwn(workModules, id) ? workModules[id] : undefined;
    if (known !== undefined && !Object.hasOwn(this.#modules, id)) this.#modules[id] = known;
    return Object.hasOwn(this.#modules, id) ? this.#modules[id] : undefined;
  }
}

/** The events of what a tool decided over a call: its update first. Throws when a change of state may not be; nothing is one then. */
export function outcomeEvents(context: TransitionContext, call: CallState, outcome: TransitionOutcome): readonly EventDraft[] {
  const updated = outcome.update === undefined ? [] : context.change(outcome.update);
  return new DraftedState(context.run, call.request.name, context.at).toEvents(
    [...updated, ...(outcome.events ?? [])],
    context.turnId,
  );
}
