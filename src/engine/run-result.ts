import type { RunningCall } from '../core/events/tool-parts.ts';
import type { RunId } from '../core/ids.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { CompiledProfile } from '../core/profile/profile.ts';
import type { RunUsage } from '../core/state/budget.ts';
import type { RunContext } from '../core/state/run-context.ts';
import { unknownOfRun } from '../core/state/unknown-calls.ts';
import type { ProfileFacts } from '../inspect/turn/profile-facts.ts';
import { checkSchema } from '../tools/schema/check-arguments.ts';
import type { RunDriver } from './run/run-driver.ts';
import { readJson } from '../core/read-json.ts';

/** Outcome of a run. */
export interface RunResult {
  readonly runId: RunId;
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** `success`, `error`, `limit`, `cancelled`, or a word of the profile's own. */
  readonly outcome: string;
  readonly output: string;
  /** Parsed value of `output`, when the profile has an `output_schema` and the run succeeded. */
  readonly value?: JsonValue;
  readonly deliverables: JsonObject;
  readonly usage: RunUsage;
  readonly error?: { readonly code: string; readonly message: string };
  /** Calls that may have happened and had no result when the run ended; absent when there are none. A late result takes its call off. */
  readonly unknown?: readonly RunningCall[];
  /** Calls whose tools have not ended: what they do is recorded when it comes. Absent when there are none. */
  readonly running?: readonly RunningCall[];
}

/** Profile facts that a run's handle uses. */
export interface ViewedProfile extends ProfileFacts, Pick<CompiledProfile, 'output'> {}

/** Returns the result of a run that has ended. */
export function runResult(state: RunContext, profiles: ReadonlyMap<string, ViewedProfile>): RunResult {
  const unknown = unknownOfRun(state);
  return {
    runId: state.meta.runId,
    status: state.status === 'completed' || state.status === 'cancelled' ? state.status : 'failed',
    outcome: state.outcome ?? 'error',
    output: state.output,
    ...outputValue(state, profiles),
    deliverables: state.deliverables,
    usage: { ...state.usage },
    ...(state.error === undefined ? {} : { error: state.error }),
    ...(unknown.length === 0 ? {} : { unknown }),
    ...(state.running.size === 0 ? {} : { running: [...state.running.values()] }),
  };
}

/** Returns the value of an output that fits its profile's `output_schema`; when a tool ended the run, the output may be any text. */
function outputValue(
  { outcome, output, meta }: RunContext,
  profiles: ReadonlyMap<string, ViewedProfile>,
): { readonly value?: JsonValue } {
  const format = profiles.get(meta.profile)?.output;
  if (outcome !== 'success' || format === undefined) return {};
  try {
    const value = readJson(output) as JsonValue;
    return checkSchema(format.schema, value).ok ? { value } : {};
  } catch {
    // The text of a tool or a rule: it is only in `output`.
    return {};
  }
}

/** Resolves when a live run ends; rejects when it cannot go on in this process. */
export async function untilEnded(actor: RunDriver): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = actor.subscribers.add({
      onEvents: (events) => {
        for (let index = 0; index < events.length; index += 1) {
          if (events[index]?.type !== 'run.end') continue;
          stop();
          resolve();
        }
      },
      onHalt: reject,
    });
  });
}
