import type { ProfileSet } from '../../core/profile/profile.ts';
import { checkProfileInput } from '../check-engine-options.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { EngineParts } from '../engine-parts.ts';
import { ToolsetHold } from '../toolsets/toolset-hold.ts';

/**
 * Profiles that an engine launches runs with.
 *
 * Owns: their replacement, and how long their toolsets stay connected. Does not own: the profiles of runs in progress.
 */
export class LaunchProfiles {
  readonly #parts: EngineParts;
  /** Toolsets that launches use; connected from the first launch on. */
  #toolsets: ToolsetHold;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#toolsets = ToolsetHold.ofAll(parts.runtime);
  }

  /** Loads other profiles. When that fails, nothing has changed; `assertOpen` throws when the engine was closed meanwhile. */
  async reload(profiles: EngineOptions['profiles'], assertOpen: () => void): Promise<ProfileSet> {
    checkProfileInput('engine.reload: profiles', profiles);
    const runtime = await this.#parts.prepare(profiles);
    assertOpen();
    const before = this.#toolsets;
    this.#parts.runtime = runtime;
    this.#toolsets = ToolsetHold.ofAll(runtime);
    await before.release();
    return runtime.set;
  }

  async release(): Promise<void> {
    await this.#toolsets.release();
  }
}
