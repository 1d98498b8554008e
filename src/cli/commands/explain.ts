import { createEngine } from '../../engine/create-engine.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { callsOf, exposedProfiles } from '../../profiles/agent-calls.ts';
import { explainProfile, explainToolset, type ExplainedValue } from '../../profiles/explain-profile.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import type { ExitCode } from '../exit-code.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { show, type ReadingOptions } from '../runs/show.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { plainStyle, type FormatOptions, type TextStyle } from '../../inspect/format/text/text-style.ts';

/** Prints a profile after inheritance, or a toolset after the changes of other teams, each value with its file and line. */
export async function explainCommand(profile: string, options: ReadingOptions & { readonly profiles?: string }): Promise<ExitCode> {
  await using engine = await createEngine({
    profiles: profilesFolder(options.profiles),
    tools: knownDocumentTools(),
    store: 'memory',
  });
  const toolset = engine.profiles.profiles.has(profile) ? undefined : engine.profiles.toolsets.get(profile);
  if (toolset !== undefined) {
    const settings = explainToolset(toolset);
    return show(
      { data: settings.values, text: (format) => formatExplanation(settings.resolved, settings.values, format) },
      options,
    );
  }
  const values = explainProfile(engine.profiles, profile);
  const resolved = engine.profiles.profiles.get(profile)?.resolved ?? {};
  const calls = callGraphOf(engine.profiles.profiles, profile);
  return show({ data: values, text: (format) => formatExplanation(resolved, values, format) + calls }, options);
}

/** Lists the profiles that a profile may call as tools, and those that may call it. */
function callGraphOf(profiles: ProfileSet['profiles'], name: string): string {
  const exposed = exposedProfiles(profiles);
  const own = profiles.get(name);
  const calls = own === undefined ? [] : callsOf(own, exposed);
  const callers = [...profiles.values()].flatMap((caller) =>
    callsOf(caller, exposed).flatMap(({ profile, tool }) => (profile === name ? [`${caller.name} (${tool})`] : [])),
  );
  const line = (words: string, names: readonly string[]): string => (names.length === 0 ? '' : `# ${words} ${names.join(', ')}\n`);
  return (
    line(
      'calls',
      calls.map(({ profile, tool }) => `${profile} (${tool})`),
    ) + line('is called by', callers)
  );
}

/** Renders a resolved profile as YAML, with `# file:line` after each value that comes from a file. */
function formatExplanation(
  resolved: JsonObject,
  values: readonly ExplainedValue[],
  { style = plainStyle }: FormatOptions = {},
): string {
  const writer = new ExplanationWriter(new Map(values.map(({ path, from }) => [path, from])), style);
  writer.map(resolved, { path: '', depth: 0 });
  return `${writer.lines.join('\n')}\n`;
}

/** Place of a value: its path in the profile, and its indentation level. */
interface Position {
  readonly path: string;
  readonly depth: number;
}

class ExplanationWriter {
  readonly lines: string[] = [];
  readonly #places: ReadonlyMap<string, string>;
  readonly #style: TextStyle;

  constructor(places: ReadonlyMap<string, string>, style: TextStyle) {
    this.#places = places;
    this.#style = style;
  }

  /** Writes a mapping; `first` replaces the indentation of its first line. */
  map(object: JsonObject, { path, depth }: Position, first = ''): void {
    let lead = first;
    for (const [key, value] of Object.entries(object)) {
      this.#entry(`${lead === '' ? '  '.repeat(depth) : lead}${this.#style.cyan(safeKey(key))}:`, value ?? null, {
        path: path === '' ? key : `${path}.${key}`,
        depth,
      });
      lead = '';
    }
  }

  #entry(head: string, value: JsonValue, { path, depth }: Position): void {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      this.lines.push(head);
      this.map(value, { path, depth: depth + 1 });
    } else if (Array.isArray(value) && value.length > 0) {
      this.lines.push(head);
      this.#list(value as readonly JsonValue[], path, depth + 1);
    } else if (typeof value === 'string' && value.trimEnd().includes('\n')) {
      this.lines.push(
        `${head} |-${this.#place(path)}`,
        ...value
          .trimEnd()
          .split('\n')
          .map((line) => `${'  '.repeat(depth + 1)}${toTerminalLine(line, 2_000)}`.trimEnd()),
      );
    } else {
      this.lines.push(`${head} ${scalarText(value)}${this.#place(path)}`);
    }
  }

  #list(items: readonly JsonValue[], path: string, depth: number): void {
    for (const [index, item] of items.entries()) {
      const id = isJsonObject(item) ? item['id'] : undefined;
      const itemPath = `${path}[${typeof id === 'string' ? id : index}]`;
      const dash = `${'  '.repeat(depth)}- `;
      if (isJsonObject(item) && Object.keys(item).length > 0) this.map(item, { path: itemPath, depth: depth + 1 }, dash);
      else if (Array.isArray(item))
        this.lines.push(`${dash}${toTerminalLine(JSON.stringify(item), 2_000)}${this.#place(itemPath)}`);
      else this.lines.push(`${dash}${scalarText(item)}${this.#place(itemPath)}`);
    }
  }

  #place(path: string): string {
    const place = this.#places.get(path);
    return place === undefined ? '' : this.#style.dim(`  # ${toTerminalLine(place, 400)}`);
  }
}

function safeKey(key: string): string {
  return toTerminalLine(/^[\w.-]+$/.test(key) ? key : JSON.stringify(key), 200);
}

/** Renders a scalar so that YAML reads it back: quoted whenever the plain form is ambiguous. */
function scalarText(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain =
    /^[A-Za-z_./][\w ./()=<>&|?+-]*$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off|~)$/i.test(value) &&
    value.trim() === value;
  return toTerminalLine(isPlain ? value : JSON.stringify(value), 2_000);
}
