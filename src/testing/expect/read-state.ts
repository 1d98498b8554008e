import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { countersView } from '../../core/state/counters-view.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** Roots that `expect.state` may read, for messages. */
export const stateRoots = ['flags', 'values', 'deliverables', 'initial_params', 'counters', 'status', 'team'] as const;

/** Reads a value of an agent's state, or of its team's, by a path as conditions write it: `flags.n`, `team.work_modules.WM_1.status`. */
export function readStatePath(run: RunContext, agent: SubContext, path: string): JsonValue | undefined {
  const keys = path.replace(/^state\./, '').split('.');
  const root: Readonly<Record<string, unknown>> = {
    flags: agent.flags,
    values: agent.values,
    deliverables: agent.deliverables,
    initial_params: agent.initialParams,
    counters: countersView(run, agent),
    status: agent.status,
    team: { shared: run.team.shared, work_modules: run.team.workModules },
  };
  let value: unknown = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value as JsonValue;
}

/** True when a path begins with a root that exists. */
export function isStatePath(path: string): boolean {
  return stateRoots.some((root) => root === path.replace(/^state\./, '').split('.')[0]);
}

/** Returns a value as a text that can be searched: payloads, arguments, results. */
export function searchText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value) && !Array.isArray(value)) return String(value);
  // As written, and with the line breaks of its texts.
  return `${JSON.stringify(value)}\n${textsOf(value).join('\n')}`;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
