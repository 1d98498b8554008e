import type { ContentHash } from '../core/ids.ts';
import type { Lease } from '../core/journal.ts';
import type { RunState } from '../core/state.ts';
import type { EngineParts, LaunchOptions, Workbench } from './engine-parts.ts';
import { editedProfiles } from './edited-profiles.ts';
import type { LiveThings } from './live-things.ts';
import { type ActorPorts, RunActor } from './run-actor.ts';
import { RunLive } from './run-live.ts';
import { Run } from './run.ts';
import type { RunTools } from './toolsets/run-tools.ts';

/** A run brought to life: what applies inputs, and what is handed out. */
export interface RunHandle {
  readonly actor: RunActor;
  readonly run: Run;
}

/** What a handle is made for. */
export interface RunHandleParts {
  readonly state: RunState;
  readonly lease: Lease;
  readonly workbench: Workbench;
  /** The tools of the run, with the toolsets it uses. */
  readonly tools: RunTools;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly liveThings: LiveThings;
  /** Values for tools, handed in with the launch. */
  readonly context: LaunchOptions['context'];
}

/** Makes the handle of a run from its state; with a lease of nobody's it can only be read. */
export function runHandle(
  parts: EngineParts,
  { state, lease, workbench, tools, content, liveThings, context }: RunHandleParts,
): RunHandle {
  const { journal, clock, ids, gateway, functions, graceMs, replay, watch } = parts;
  let { viewed } = workbench;
  const ports: ActorPorts = {
    get kernel() {
      return tools.kernel;
    },
    kernelFor: (input) => tools.kernelFor(input),
    adopt: (input) => {
      tools.adopt(input, () => actor.whenIdle());
      if (input.kind === 'profiles') viewed = tools.kernel.env.profiles;
    },
    gateway,
    journal,
    clock,
    functions,
    content,
    context: context ?? {},
    graceMs,
    workspace: parts.workspaceOf(state.meta),
    live: new RunLive(state.meta.runId, liveThings),
    replay,
    turnstile: parts.turnstile,
    defer: setImmediate,
    watch,
  };
  const actor = new RunActor(state, lease, ports);
  const run = new Run({
    actor,
    journal,
    ids,
    content,
    get profiles() {
      return viewed;
    },
    hash: workbench.kernel.env.hash,
    redact: (value) => workbench.kernel.env.secrets.json(value),
    workspace: ports.workspace,
    editProfiles: async (edits) => {
      const edited = await editedProfiles(parts, actor.state, edits);
      // From here on the run itself holds what it uses.
      using _hold = edited.hold;
      await actor.submit(edited);
      return edited.changes;
    },
  });
  return { actor, run };
}
