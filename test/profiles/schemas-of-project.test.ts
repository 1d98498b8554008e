import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { knownNamesOf, schemaOf } from '../../src/cli/write-schemas.ts';
import { isEvalFile, isTestFile } from '../../src/profiles/files/test-file-names.ts';
import { fileKindOf } from '../../src/profiles/files/file-kind.ts';
import { schemaKinds, type SchemaKind } from '../../src/cli/options/schema-kinds.ts';
import { SourceText } from '../../src/profiles/yaml/source-text.ts';
import { parseYaml } from '../../src/profiles/yaml/parse-yaml.ts';
import { Report } from '../../src/profiles/report.ts';
import { runCli, starterFolder, temporaryFolder } from '../cli/cli-process.ts';

const shipped = path.join(import.meta.dirname, '../../agent_profiles');

/** Returns an editor's completions for a part of a schema: the values of its enums, with their descriptions. */
function completions(schema: unknown, ...way: readonly string[]): Readonly<Record<string, string>> {
  let part = schema as Readonly<Record<string, unknown>>;
  for (const step of way) part = part[step] as typeof part;
  const [listed] = part['anyOf'] as readonly { readonly enum: readonly string[]; readonly enumDescriptions: readonly string[] }[];
  return Object.fromEntries((listed?.enum ?? []).map((name, index) => [name, listed?.enumDescriptions[index] ?? '']));
}

async function written(folder: string, kind: SchemaKind): Promise<unknown> {
  return JSON.parse(readFileSync(path.join(folder, 'schemas', `${kind}.schema.json`), 'utf8'));
}

describe('F30: schemas complete the names of the project', () => {
  it('a new team has its own names and those of Cadre in its schemas, each with a line on what it is', async () => {
    const folder = await temporaryFolder();
    expect((await runCli(['init'], { cwd: folder })).code).toBe(0);
    const profile = await written(folder, 'profile');
    const policy = ['properties', 'tool_access_policy', 'properties'] as const;
    expect(completions(profile, 'properties', 'llm_config_ref')).toMatchObject({ default: '', openai: '', offline: '' });
    expect(completions(profile, 'properties', 'base_profile', 'items')).toMatchObject({
      Researcher: 'Searches the documents and brings back passages with file and line.',
    });
    expect(completions(profile, ...policy, 'allowed_individual_tools', 'items')).toMatchObject({
      dispatch_submodules: expect.stringContaining('work modules'),
      search_documents: expect.any(String),
      read_file: 'of the toolset workspace',
    });
    expect(completions(profile, ...policy, 'allowed_toolsets', 'items')).toMatchObject({
      planning_tools: 'manage_work_modules',
      shell: expect.stringContaining('run_command'),
    });
    const strategy = ['properties', 'inbox_handling_strategies', 'items', 'properties'] as const;
    expect(completions(profile, ...strategy, 'ingestor')).toHaveProperty('work_modules');
    expect(completions(profile, ...strategy, 'source')).toHaveProperty('TOOL_RESULT');
    const config = ['properties', 'config', 'properties'] as const;
    const llm = await written(folder, 'llm_config');
    expect(completions(llm, ...config, 'script')).toHaveProperty(['scripts/offline.yaml'], 'Lead and Researcher, scripted.');
    expect(completions(llm, ...config, 'when_unconfigured', 'else')).toHaveProperty('offline');
    expect(completions(await written(folder, 'team'), 'properties', 'default_profile')).toHaveProperty('Lead');
  });

  it('schema --out completes what was added since, also beside a file that is not right yet', async () => {
    const folder = await starterFolder();
    const at = (name: string, text: string): Promise<void> => writeFile(path.join(folder, 'agent_profiles', name), text);
    for (const kind of ['toolsets', 'handover_protocols']) await mkdir(path.join(folder, 'agent_profiles', kind));
    await at('toolsets/archive.yaml', 'type: toolset\nname: archive\nkind: workspace\ndescription_for_human: Old papers.\n');
    await at('handover_protocols/errand.yaml', 'protocol_name: errand\ndescription: A small thing.\n');
    await at(
      'profiles/Clerk.yaml',
      'name: Clerk\nexposable_as_tool: { name: ask_clerk, description: Asks the clerk. }\ninbox_handling_strategies:\n  - source: BUILD_FAILED\n    ingestor: nobody\nfrob: [\n',
    );
    await at(
      'profiles/Typist.yaml',
      'name: Typist\nfrob: 1\npre_turn_observers: [{ id: a, action: { type: add_to_inbox, inbox_item: { source: BELL_RANG } } }]\nexposable_as_tool: { name: ask_typist, description: Types. }\n',
    );
    expect((await runCli(['schema', '--out', 'schemas'], { cwd: folder })).code).toBe(0);
    const profile = await written(folder, 'profile');
    const policy = ['properties', 'tool_access_policy', 'properties'] as const;
    expect(completions(profile, ...policy, 'allowed_toolsets', 'items')).toMatchObject({ archive: 'Old papers.' });
    expect(completions(profile, ...policy, 'allowed_individual_tools', 'items')).toMatchObject({
      archive_read_file: 'of the toolset archive',
      ask_typist: 'Types.',
    });
    expect(completions(profile, 'properties', 'exposable_as_tool', 'properties', 'protocol')).toMatchObject({
      errand: 'A small thing.',
    });
    expect(completions(profile, 'properties', 'inbox_handling_strategies', 'items', 'properties', 'source')).toHaveProperty(
      'BELL_RANG',
    );
    expect((await runCli(['schema', '--out', 'plain', '--no-names'], { cwd: folder })).code).toBe(0);
    await rename(path.join(folder, 'plain'), path.join(folder, 'schemas-of-all'));
    expect(readFileSync(path.join(folder, 'schemas-of-all/profile.schema.json'), 'utf8')).not.toContain('Typist');
  });

  it('without profiles here there are no names, and --profiles says whose', async () => {
    const cwd = await temporaryFolder();
    expect((await runCli(['schema', 'profile'], { cwd })).out).not.toContain('enumDescriptions');
    expect((await runCli(['schema', 'team', '--profiles', 'openmanus'], { cwd })).out).toContain('"manus"');
  });

  it('every file that ships stays valid, and a name that comes later is no error', async () => {
    const known = await knownNamesOf(shipped);
    const ajv = new Ajv({ strict: false, allErrors: true });
    const validators = new Map<string, ReturnType<Ajv['compile']>>();
    for (const kind of schemaKinds) validators.set(kind, ajv.compile(await schemaOf(kind, known)));
    const files = readdirSync(shipped, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
    const problems = files.flatMap((name) => {
      const text = readFileSync(path.join(shipped, name), 'utf8');
      const own = isTestFile(name) ? 'test' : isEvalFile(name) ? 'eval' : undefined;
      const kind = own ?? fileKindOf(name, parseYaml(new SourceText(name, text), new Report()));
      const validate = validators.get(kind);
      return validate === undefined || validate(parse(text)) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(files.length).toBeGreaterThan(60);
    expect(problems).toEqual([]);
    const profile = validators.get('profile');
    const later = {
      name: 'A',
      llm_config_ref: 'to_come',
      base_profile: ['B'],
      tool_access_policy: { allowed_toolsets: ['new_one'] },
    };
    expect(profile?.(later)).toBe(true);
    expect(profile?.({ ...later, llm_config_ref: ' ' })).toBe(false);
  });
});
