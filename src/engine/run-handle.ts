import type { ContentHash } from '../core/ids.ts';
import type { Lease } from '../core/events/journal.ts';
import type { RecordedAnswers } from './launch/recorded-answers.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { EngineParts, ProfileRuntime } from './engine-parts.ts';
import type { LaunchOptions } from './launch-options.ts';
import { editedProfiles } from './launch/edited-profiles.ts';
import type { Resources } from './effects/resources.ts';
import type { Input } from './run/input.ts';
import { RunActor } from './run/run-actor.ts';
import type { RunDriver } from './run/run-driver.ts';
import { runPorts } from './run/run-ports.ts';
import { Run } from './run.ts';
import type { RunTools } from './toolsets/run-tools.ts';

/** A live run: the actor that applies inputs, and the handle that callers get. */
export interface RunHandle {
  readonly actor: RunDriver;
  readonly run: Run;
}

/** State, lease and resources that a handle is made for. */
export interface RunHandleParts {
  readonly state: RunContext;
  readonly lease: Lease;
  readonly runtime: ProfileRuntime;
  /** Tools of the run, with its toolsets. */
  readonly tools: RunTools;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly resources: Resources;
  /** Values for tools, given at launch. */
  readonly context: LaunchOptions['context'];
  readonly answers?: RecordedAnswers | undefined;
}

/** Creates the handle of a run from its state; with a lease that has no holder it is read-only. */
export function runHandle(
  parts: EngineParts,
  { state, lease, runtime, tools, content, resources, context, answers }: RunHandleParts,
): RunHandle {
  const { journal, ids } = parts;
  let { viewed } = runtime;
  const adopt = (input: Input): void => {
    tools.adopt(input, () => actor.whenIdle());
    if (input.kind === 'profiles') viewed = tools.decision.env.profiles;
  };
  const ports = runPorts(parts, { meta: state.meta, tools, content, resources, context, answers, adopt });
  // Without a holder nothing is advanced.
  const drive = lease.epoch < 0 ? undefined : parts.remote?.drive;
  const actor: RunDriver = drive?.(state, lease, ports) ?? new RunActor(state, lease, ports);
  const run = new Run({
    actor,
    journal,
    ids,
    content,
    get profiles() {
      return viewed;
    },
    hash: runtime.decision.env.hash,
    redact: (value) => runtime.decision.env.secrets.json(value),
    workspace: ports.workspace,
    editProfiles: async (edits, by) => {
      const edited = await editedProfiles(parts, actor.state, edits);
      // From here on the run itself holds its toolsets.
      using _hold = edited.hold;
      await actor.submit({ ...edited, ...by });
      return edited.changes;
    },
  });
  return { actor, run };
}
