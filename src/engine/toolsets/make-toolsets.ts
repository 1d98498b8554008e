import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Diagnostic, ProfileSet } from '../../core/profile/profile.ts';
import type { Toolset, ToolsetKind } from '../../core/tool/toolset.ts';
import type { ToolsetConfig } from '../../core/tool/toolset-config.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';
import { declaredUnreadable } from '../../files/guard/unreadable.ts';
import { builtInToolsets } from './toolset-kinds.ts';
import type { CodeToolset } from './code-tools.ts';
import { kindOf } from './known-toolset-kinds.ts';
import type { ToolsetInstance } from './toolset-instance.ts';
import { toolsetOfRequest } from './toolset-of-request.ts';
import { toolNaming } from './toolset-options.ts';
import type { ToolsetPool } from './toolset-pool.ts';

/**
 * Creates the toolsets of a profile set: from code, from declarations in its files, and of kinds that its profiles name without declaring
 * them. For each name the first one wins. Connects none of them.
 */
export async function makeToolsets(
  pool: ToolsetPool,
  set: ProfileSet,
  given: readonly CodeToolset[],
): Promise<readonly ToolsetInstance[]> {
  const declared = [...given.flatMap((toolset) => ('kind' in toolset ? [toolset] : [])), ...set.toolsets.values()];
  const ports: MakePorts = { pool, unreadable: declaredUnreadable(declared.map(({ settings }) => settings)) };
  const made = new Map<string, ToolsetInstance>();
  for (const toolset of given) made.set(toolset.name, await makeGiven(ports, toolset));
  const problems: Diagnostic[] = [];
  for (const config of set.toolsets.values()) {
    // Missing settings were reported as a warning; agents do without the toolset.
    if (made.has(config.name) || config.missing.length > 0) continue;
    try {
      made.set(config.name, await make(ports, config));
    } catch (thrown) {
      problems.push(problemOf(config, thrown));
    }
  }
  if (problems.length > 0) throw invalidToolsets(problems, set.warnings);
  for (const kind of kindsNamed(set)) {
    if (!made.has(kind) && !set.toolsets.has(kind)) made.set(kind, await make(ports, { name: kind, kind, settings: {} }));
  }
  return [...made.values()];
}

/** Returns the error for unusable toolsets, with each problem at its place. */
export function invalidToolsets(problems: readonly Diagnostic[], warnings: readonly Diagnostic[]): CadreError {
  const count = problems.length === 1 ? '1 error' : `${problems.length} errors`;
  const lines = problems.map(({ source, message }) => `${source.file}:${source.line}:${source.column}: ${message}`);
  const diagnostics = [...problems, ...warnings];
  return new CadreError('PROFILE_INVALID', `the toolsets have ${count}:\n${lines.join('\n')}`, { details: { diagnostics } });
}

/** Returns the error that prevents creating a toolset, located in the file that declares it. */
function problemOf({ source }: ToolsetConfig, thrown: unknown): Diagnostic {
  // Only errors in settings belong to the file; any other error is a fault of the engine and must not be blamed on it.
  if (!(thrown instanceof CadreError) || source === undefined) throw thrown;
  return { severity: 'error', code: 'NOT_ALLOWED', message: thrown.message, source };
}

/** Returns the built-in, unconnected kinds that a profile allows by name, or by the name of one of their tools. */
export function kindsNamed(set: ProfileSet): readonly string[] {
  const named = new Set(
    [...set.profiles.values()].flatMap(({ allowedToolsets, allowedTools }) => [...allowedToolsets, ...allowedTools]),
  );
  return Object.entries(builtInToolsets)
    .filter(([kind, { tools }]) => tools.length > 0 && [kind, ...tools].some((name) => named.has(name)))
    .map(([kind]) => kind);
}

/** Services for creating toolsets. */
interface MakePorts {
  readonly pool: ToolsetPool;
  /** Paths that some toolset of the set must not read: the others must not read them either. */
  readonly unreadable: readonly string[];
}

async function makeGiven(ports: MakePorts, toolset: CodeToolset): Promise<ToolsetInstance> {
  if (!('kind' in toolset)) return usable(toolset.instance());
  const { name, kind, settings } = toolset;
  const checked = checkSchema((await kindOf(name, kind).load()).settings, settings);
  if (checked.ok) return await make(ports, toolset);
  const problems = checked.errors.map(({ path, message }) => `settings${path.replaceAll('/', '.')}: ${message}`);
  throw new CadreError(
    'OPTION_INVALID',
    `toolsets: the settings of '${name}' do not fit the kind '${kind}': ${problems.join('; ')}`,
  );
}

async function make(
  { pool, unreadable }: MakePorts,
  {
    name,
    kind,
    settings,
    settingsFor,
    code,
    origins,
  }: Pick<ToolsetConfig, 'name' | 'kind' | 'settings' | 'settingsFor' | 'code' | 'origins'>,
): Promise<ToolsetInstance> {
  const loaded = await kindOf(name, kind).load();
  const request = { name, settings, unreadable, toolName: toolNaming(name, kind), ...(code === undefined ? {} : { code }) };
  const toolset: Toolset =
    settingsFor === undefined
      ? { settingsFor: () => settings, ...loaded.create(request) }
      : toolsetOfRequest(loaded, request, settingsFor);
  const bounds = boundsOf(loaded, unreadable);
  const source = origins?.get('settings.path');
  const made = { ...toolset, ...boundBy(toolset, bounds), kind: loaded.kind, ...(source === undefined ? {} : { source }) };
  const loads = code === undefined ? {} : { code: code.hash, entry: code.entry };
  return usable(pool.ofSettings(name, kind, { ...bounds, ...settings, ...loads }, made));
}

/** Returns the paths that the other toolsets of a set must not read, as settings for a kind that supports them. */
function boundsOf({ settings }: ToolsetKind, unreadable: readonly string[]): JsonObject {
  const { properties } = settings;
  return unreadable.length > 0 && isJsonObject(properties) && 'unreadable' in properties ? { unreadable } : {};
}

/** Binds approvals also to the paths that a toolset must not read. */
function boundBy({ settingsFor }: Toolset, bounds: JsonObject): Pick<Toolset, 'settingsFor'> {
  return settingsFor === undefined || !('unreadable' in bounds)
    ? {}
    : { settingsFor: (request) => ({ ...bounds, ...settingsFor(request) }) };
}

/** Checks the tools that exist from the start, so that an author sees their errors immediately. */
function usable(instance: ToolsetInstance): ToolsetInstance {
  const { leftOut } = instance.initialTools;
  if (leftOut.length === 0) return instance;
  const { name } = instance;
  throw new CadreError('TOOL_INVALID', `toolset '${name}': ${leftOut.join(' ')}`, { details: { toolset: name } });
}
