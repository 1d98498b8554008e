import { CadreError } from '../core/error.ts';
import { isJsonObject, type JsonSchema } from '../core/json.ts';
import type { KnownNames, KnownToolsetKind } from '../core/known-names.ts';
import type { Diagnostic, ProfileFile, ProfileSet } from '../core/profile.ts';
import type { Toolset, ToolsetConfig, ToolsetKind } from '../core/toolset.ts';
import { checkSchema } from '../tools/check-arguments.ts';
import { declaredUnreadable } from '../tools/files/unreadable.ts';
import { builtInToolsets } from '../tools/toolset-kinds.ts';
import { toolsetOfRequest } from './toolset-of-request.ts';
import { toolNaming, type ToolsetOption } from './toolset-options.ts';
import type { Toolsets } from './toolsets.ts';

/** Toolsets that code declares, by name. */
export type ToolsetOptions = Readonly<Record<string, ToolsetOption>>;

/** Loads the kinds of toolsets that files, or code, seem to name, so that their settings can be checked. */
export async function knownToolsetKinds(
  files: readonly ProfileFile[],
  options: ToolsetOptions,
): Promise<NonNullable<KnownNames['toolsetKinds']>> {
  // Only what declares a toolset has settings to check; the names of kinds are ordinary words elsewhere.
  const texts = files.filter(declaresToolset).map(({ text }) => text);
  const known = new Map<string, KnownToolsetKind>();
  for (const [name, { tools, observers = [], load }] of Object.entries(builtInToolsets)) {
    const isNamed = texts.some((text) => text.includes(name));
    const settings: JsonSchema | undefined = isNamed ? (await load()).settings : undefined;
    known.set(name, { tools, observers, ...(settings === undefined ? {} : { settings }) });
  }
  for (const [name, option] of Object.entries(options)) if (typeof option === 'object') kindOf(name, option.kind);
  return known;
}

function declaresToolset({ path, text }: ProfileFile): boolean {
  return /^\s*["']?type["']?\s*:\s*["']?toolset\b/m.test(text) || path.split('/').includes('toolsets');
}

/** Opens the toolsets that code and files declare, and those of the kinds that profiles name without declaring them. */
export async function openToolsets(toolsets: Toolsets, set: ProfileSet, options: ToolsetOptions): Promise<void> {
  const declared = [
    ...Object.values(options).flatMap((option) => (typeof option === 'object' ? [option] : [])),
    ...set.toolsets.values(),
  ];
  const unreadable = declaredUnreadable(declared.map(({ settings = {} }) => settings));
  const make = async (config: OpenedConfig): Promise<void> => await open(toolsets, config, unreadable);
  for (const [name, option] of Object.entries(options)) if (!toolsets.has(name)) await openOption(toolsets, name, option, make);
  const problems: Diagnostic[] = [];
  for (const config of set.toolsets.values()) {
    // What is missing was reported as a warning; agents do without.
    if (toolsets.has(config.name) || config.missing.length > 0) continue;
    await make(config).catch((thrown: unknown) => problems.push(problemOf(config, thrown)));
  }
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 error' : `${problems.length} errors`;
    const lines = problems.map(({ source, message }) => `${source.file}:${source.line}:${source.column}: ${message}`);
    const diagnostics = [...problems, ...set.warnings];
    throw new CadreError('PROFILE_INVALID', `the toolsets have ${count}:\n${lines.join('\n')}`, { details: { diagnostics } });
  }
  for (const kind of kindsNamed(set)) {
    if (!toolsets.has(kind) && !set.toolsets.has(kind)) await make({ name: kind, kind, settings: {} });
  }
}

/** What keeps a toolset that a file declares from being made, at the place of the file. */
function problemOf({ source }: ToolsetConfig, thrown: unknown): Diagnostic {
  // Only settings are looked at here; anything else is a fault of ours, and must not pass for one of the file.
  if (!(thrown instanceof CadreError) || source === undefined) throw thrown;
  return { severity: 'error', code: 'NOT_ALLOWED', message: thrown.message, source };
}

/** Built-in kinds that connect to nothing and that a profile allows by name, or by the name of one of their tools. */
export function kindsNamed(set: ProfileSet): readonly string[] {
  const named = new Set(
    [...set.profiles.values()].flatMap(({ allowedToolsets, allowedTools }) => [...allowedToolsets, ...allowedTools]),
  );
  return Object.entries(builtInToolsets)
    .filter(([kind, { tools }]) => tools.length > 0 && [kind, ...tools].some((name) => named.has(name)))
    .map(([kind]) => kind);
}

async function openOption(
  toolsets: Toolsets,
  name: string,
  option: ToolsetOption,
  make: (config: OpenedConfig) => Promise<void>,
): Promise<void> {
  if (typeof option === 'function') {
    toolsets.add(name, option({ name, toolName: toolNaming(name, undefined) }));
    return;
  }
  const { kind = name, settings = {} } = option;
  const checked = checkSchema((await kindOf(name, kind).load()).settings, settings);
  if (!checked.ok) {
    const problems = checked.errors.map(({ path, message }) => `settings${path.replaceAll('/', '.')}: ${message}`);
    throw new CadreError(
      'OPTION_INVALID',
      `toolsets: the settings of '${name}' do not fit the kind '${kind}': ${problems.join('; ')}`,
    );
  }
  await make({ name, kind, settings });
}

type OpenedConfig = Pick<ToolsetConfig, 'name' | 'kind' | 'settings' | 'settingsFor'>;

/** Opens a toolset; what others do not read, it does not read either. */
async function open(
  toolsets: Toolsets,
  { name, kind, settings, settingsFor }: OpenedConfig,
  unreadable: readonly string[],
): Promise<void> {
  const made: ToolsetKind = await kindOf(name, kind).load();
  const request = { name, settings, unreadable, toolName: toolNaming(name, kind) };
  const toolset =
    settingsFor === undefined
      ? { ...made.create(request), settingsFor: () => settings }
      : toolsetOfRequest(made, request, settingsFor);
  toolsets.add(name, { ...toolset, ...boundBy(toolset, made, unreadable), kind: made.kind });
}

/** Approvals are bound to what a toolset does not read, too. */
function boundBy({ settingsFor }: Toolset, { settings }: ToolsetKind, unreadable: readonly string[]): Pick<Toolset, 'settingsFor'> {
  const { properties } = settings;
  const hasBounds = isJsonObject(properties) && 'unreadable' in properties;
  if (settingsFor === undefined || unreadable.length === 0 || !hasBounds) return {};
  return { settingsFor: (request) => ({ unreadable, ...settingsFor(request) }) };
}

function kindOf(name: string, kind: string | undefined): (typeof builtInToolsets)[string] {
  const wanted = kind ?? name;
  const found = Object.hasOwn(builtInToolsets, wanted) ? builtInToolsets[wanted] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(builtInToolsets).join(', ') || 'none';
  throw new CadreError('OPTION_INVALID', `toolsets: there is no kind '${wanted}' for the toolset '${name}'; kinds: ${known}`);
}
