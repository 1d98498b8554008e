import type { Clock } from '../../core/clock.ts';
import type { ProfileSet, CompiledProfile } from '../../core/profile/profile.ts';
import { atMost } from '../effects/pending-closes.ts';
import type { SetDecisionContexts } from './decision-contexts.ts';
import type { ToolList } from './tool-list.ts';
import type { ToolsetInstance, ToolsetChange } from './toolset-instance.ts';
import { invalidToolsets } from './make-toolsets.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { callsOf, exposedProfiles } from '../../profiles/agent-calls.ts';
import { builtInToolsets } from './toolset-kinds.ts';

/** Most milliseconds that a launch waits for connecting toolsets; later connections reach the run as news. */
const longestWaitMs = 60_000;

/** A profile set and the decision contexts built from it. */
export interface ToolSource {
  readonly set: ProfileSet;
  readonly decisions: SetDecisionContexts;
}

/** Tools of one connecting toolset, as a decision uses and records them. */
export interface OfferedTools {
  readonly toolset: string;
  readonly tools: ToolList;
  /** True when these are the tools without a connection, as for a run that recorded none of the toolset. */
  readonly isInitial: boolean;
}

/** A claim on the toolsets of a profile set: connecting ones stay connected until it is released. */
export class ToolsetHold {
  readonly source: ToolSource;
  /** Instances that connect to something. */
  readonly instances: readonly ToolsetInstance[];
  readonly #leave: readonly (() => Promise<void>)[];

  constructor(source: ToolSource, instances: readonly ToolsetInstance[]) {
    this.source = source;
    this.instances = instances;
    this.#leave = instances.map((instance) => instance.use());
  }

  /** Returns an empty hold, for a run that is only cancelled. */
  static ofNone(source: ToolSource): ToolsetHold {
    return new ToolsetHold(source, []);
  }

  /** Holds every connecting toolset. */
  static ofAll(source: ToolSource): ToolsetHold {
    return new ToolsetHold(source, source.decisions.connecting);
  }

  /**
   * Holds the toolsets that a run with agents of these profiles may use, once all of them have reported whether they connected; or once
   * `left` resolves. Fails with PROFILE_INVALID when a toolset that runs need could not be connected.
   */
  static async ready(source: ToolSource, profiles: Iterable<string>, clock: Clock, left: Promise<void>): Promise<ToolsetHold> {
    const needed = toolsetsNeeded(source.set, profiles);
    const hold = new ToolsetHold(
      source,
      source.decisions.connecting.filter(({ name }) => needed?.has(name) !== false),
    );
    const waited = hold.instances.flatMap((instance) => instance.ready(clock) ?? []);
    if (waited.length > 0) await atMost(clock, longestWaitMs, Promise.race([Promise.all(waited), left]));
    const problems = hold.instances.flatMap(({ failure }) => failure ?? []);
    if (problems.length === 0) return hold;
    await hold.release();
    throw invalidToolsets(problems, source.set.warnings);
  }

  /** Returns another hold on the same toolsets, released independently. */
  again(): ToolsetHold {
    return new ToolsetHold(this.source, this.instances);
  }

  /** Returns the current tools. */
  take(): readonly OfferedTools[] {
    return this.instances.map(({ name, tools, initialTools }) => ({
      toolset: name,
      tools,
      isInitial: tools.hash === initialTools.hash,
    }));
  }

  /** Lists what cannot be used at this moment. */
  shortcomings(): readonly ToolsetChange[] {
    return this.instances.flatMap((instance) => instance.shortcomings);
  }

  /** Releases the hold; resolves when toolsets without other users are closed. */
  async release(): Promise<void> {
    await Promise.all(this.#leave.map((leave) => leave()));
  }

  [Symbol.dispose](): void {
    void this.release();
  }
}

/**
 * Returns the toolsets that a run starting with agents of these profiles may use; undefined when it may be any. A profile whose toolsets
 * start no agents, and that calls none, leads to no other profile, so its run need not wait for the connections of other toolsets.
 */
export function toolsetsNeeded(set: ProfileSet, roots: Iterable<string>): ReadonlySet<string> | undefined {
  const exposed = exposedProfiles(set.profiles);
  const needed = new Set<string>();
  for (const name of roots) {
    const profile = set.profiles.get(name);
    if (profile === undefined || !isAlone(profile, set) || callsOf(profile, exposed).length > 0) return undefined;
    for (const toolset of profile.allowedToolsets) needed.add(toolset);
  }
  return needed;
}

/** True when all toolsets of a profile come from files or built-in kinds; those from code or the team may start agents. */
function isAlone({ allowedToolsets, allowedTools }: CompiledProfile, set: ProfileSet): boolean {
  return (
    allowedTools.length === 0 && allowedToolsets.every((name) => set.toolsets.has(name) || Object.hasOwn(builtInToolsets, name))
  );
}

/** Returns the profiles of all agents of a resumed run. */
export function profilesOf(run: RunContext): readonly string[] {
  return [...run.agents.values()].map(({ meta }) => meta.profile);
}
