import path from 'node:path';
import type { ToolsetCode } from '../../core/tool/code-files.ts';
import { findProvider, splitModelName } from '../../core/model/model-provider.ts';
import { awsCredentialVars, maySign } from '../../core/model/provider-settings.ts';
import { keySourceOf, userModelVars } from '../../core/model/model-key.ts';
import type { JsonObject } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { Secrets } from '../../core/secrets/secrets.ts';
import type { Reach } from '../../core/tool/toolset.ts';
import type { ToolsetConfig } from '../../core/tool/toolset-config.ts';
import { variablesOfFiles } from '../../profiles/files/expand-variables.ts';
import { approvalLines } from './approval-lines.ts';
import { builtInToolsets } from '../toolsets/toolset-kinds.ts';
import { kindsNamed } from '../toolsets/make-toolsets.ts';
import { packagesOf } from '../../toolsets/module/code-packages.ts';
import { globsIn } from '../../files/guard/unreadable.ts';

/** Resources of the machine and the network that a set of profiles uses because its files say so; each list sorted, without duplicates. */
export interface ProfileReach {
  /** Programs that it starts. */
  readonly commands: readonly string[];
  /** Code that it loads, with its hash: changed code needs consent again. */
  readonly code: readonly string[];
  /** Environment variables that it reads, each with its reader. */
  readonly variables: readonly string[];
  /** Addresses that it calls. */
  readonly destinations: readonly string[];
  /** Files that it reads or writes although agents otherwise may not. */
  readonly files: readonly string[];
  /** What it asks a person, and what it lets run unasked, in the order of its gates. Reaches nothing by itself. */
  readonly approvals: readonly string[];
  /** Settings of its toolsets, without secret values. Reach nothing by themselves. */
  readonly settings: readonly string[];
}

/** Reach of profiles that use nothing outside. */
export const nothingReached: ProfileReach = {
  commands: [],
  code: [],
  variables: [],
  destinations: [],
  files: [],
  approvals: [],
  settings: [],
};

/**
 * Finds what a person must agree to before using other people's profiles. Excludes models on this machine, the person's own model and
 * address (`CADRE_MODEL`, `CADRE_BASE_URL`), and a provider's key sent to the provider's own address. The texts contain no secret values of
 * the environment.
 */
export async function reachOfProfiles(set: ProfileSet, request: JsonObject = {}): Promise<ProfileReach> {
  const { reaches, settings } = await toolsetReaches(set, request);
  const addressed = [...set.llmConfigs.values()].filter(
    ({ baseUrl, baseUrlVar }) => baseUrl !== undefined && baseUrlVar !== userModelVars.base_url && !isLocal(baseUrl),
  );
  const ofToolsets = (kind: Reach['kind']): readonly string[] =>
    reaches.flatMap((reach) => (reach.kind === kind ? [reach.text] : []));
  return {
    commands: inOrder(ofToolsets('command')),
    code: inOrder(ofToolsets('code')),
    variables: inOrder([...variableLines(set, addressed), ...ofToolsets('variable')]),
    destinations: inOrder([
      ...addressed.map(({ name, baseUrl }) => `${withoutPassword(baseUrl ?? '')} (LLM config ${name})`),
      ...ofToolsets('destination'),
    ]),
    files: inOrder(ofToolsets('file')),
    approvals: approvalLines(set),
    settings: inOrder(settings),
  };
}

/** True when the profiles use no resource that needs consent. */
export function reachesNothing({ commands, code, variables, destinations, files }: ProfileReach): boolean {
  return commands.length + code.length + variables.length + destinations.length + files.length === 0;
}

/** Includes the values of a request: they may name another address, or another program. */
async function toolsetReaches(
  set: ProfileSet,
  request: JsonObject,
): Promise<{ readonly reaches: readonly Reach[]; readonly settings: readonly string[] }> {
  const usual = kindsNamed(set)
    .filter((kind) => !set.toolsets.has(kind))
    .map((kind): Pick<ToolsetConfig, 'name' | 'kind' | 'settings' | 'settingsFor' | 'secrets' | 'missing' | 'code'> => ({
      name: kind,
      kind,
      settings: {},
      secrets: [],
      missing: [],
    }));
  const found: Reach[] = [];
  const written: string[] = [];
  for (const { name, kind, settings: usually, settingsFor, secrets, missing, code } of [...set.toolsets.values(), ...usual]) {
    // The toolset is not created and its settings are incomplete; once the variable is set, consent is asked again.
    if (missing.length > 0) continue;
    const hidden = new Secrets();
    for (const secret of secrets) hidden.add(secret);
    const loaded = await builtInToolsets[kind]?.load();
    for (const settings of [usually, ...(settingsFor === undefined ? [] : [settingsFor(request)])]) {
      written.push(`${name} (${kind}): ${JSON.stringify(hidden.json(settings))}`);
      for (const reach of [...(loaded?.reaches?.(settings, name) ?? []), ...(await codeReaches(code)), ...fileReaches(settings)])
        found.push({ ...reach, text: `${hidden.text(reach.text)} (toolset ${name})` });
    }
  }
  return { reaches: found, settings: written };
}

/** Lists code by name relative to the folder of its first file, so that it is recognised wherever its team is named from. */
async function codeReaches(code: ToolsetCode | undefined): Promise<readonly Reach[]> {
  return code === undefined ? [] : (await codeLines(code)).map((text) => ({ kind: 'code', text }));
}

/** Describes code for a person who must agree to it: its files and the packages it imports, with their hashes. */
export async function codeLines(code: ToolsetCode): Promise<readonly string[]> {
  const { entry, files, hash } = code;
  const folder = path.posix.dirname(path.posix.dirname(entry));
  const names = files.flatMap((file) => (file.path === entry ? [] : [path.posix.relative(folder, file.path)]));
  const others = names.length === 0 ? '' : ` with ${names.join(', ')}`;
  const name = path.posix.relative(folder, entry);
  const { imported } = await packagesOf(code);
  return [
    `${name}${others}, SHA-256 ${hash}`,
    ...imported.map((each) => {
      const more = each.needs === 0 ? '' : ` with ${each.needs} ${each.needs === 1 ? 'package' : 'packages'} that it needs`;
      return `package ${each.name} ${each.version}${more}, imported by ${name}, SHA-256 ${each.hash}`;
    }),
  ];
}

/** Lists the environment variables that are read, except keys that go to their usual provider. */
function variableLines(set: ProfileSet, addressed: readonly LlmConfig[]): readonly string[] {
  const sent = addressed.flatMap((config) =>
    [...keySourceOf(config).variables, ...(maySign(config) ? awsCredentialVars : [])].map(
      (key) => `${key} (the key of LLM config ${config.name})`,
    ),
  );
  const usual = addressed.length > 0 ? new Set<string>() : harmlessKeys(set);
  const read = variablesOfFiles(set.files).flatMap(({ name, by, isApiKey, isUserModel }) =>
    isUserModel || (isApiKey && usual.has(name)) ? [] : [`${name} (${by})`],
  );
  return [...sent, ...read];
}

/**
 * Returns variables whose keys stay on this machine, or go to their provider's usual address. A variable that any config sends elsewhere,
 * such as the key of one provider to another, is not among them.
 */
function harmlessKeys({ llmConfigs }: ProfileSet): ReadonlySet<string> {
  const harmless = new Set<string>();
  const sent = new Set<string>();
  for (const { provider, model, baseUrl, apiKeyVar } of llmConfigs.values()) {
    const usual = findProvider(provider === '' ? (splitModelName(model)?.provider ?? '') : provider)?.keyVar;
    if (usual !== undefined) harmless.add(usual);
    if (apiKeyVar === undefined) continue;
    if (apiKeyVar === usual || (baseUrl !== undefined && isLocal(baseUrl))) harmless.add(apiKeyVar);
    else sent.add(apiKeyVar);
  }
  return harmless.difference(sent);
}

/** True when an address is on this machine. */
function isLocal(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (url === null || url.password === '') return address;
  url.password = '';
  return url.href;
}

function inOrder(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}

/**
 * Describes, for a person who must agree, which otherwise protected files the settings of a toolset open to agents: auto-run files, files
 * with secrets, settings of programs, and profiles. Works for every kind of toolset.
 */
function fileReaches(settings: JsonObject): readonly Reach[] {
  const allowed = globsIn(settings['allow_writes']);
  const guarded = globsIn(settings['protected']);
  const hidden = globsIn(settings['unreadable']);
  const lines = [
    ...(allowed === undefined || allowed.length === 0
      ? []
      : [`may write what makes other programs run something: ${allowed.join(', ')}`]),
    ...(guarded === undefined ? [] : [`may write profiles and .env files, but not: ${words(guarded)}`]),
    ...(hidden === undefined ? [] : [`may read files that hold secrets, but not: ${words(hidden)}`]),
  ];
  return lines.map((text) => ({ kind: 'file', text }));
}

function words(globs: readonly string[]): string {
  return globs.join(', ') || 'nothing is left out';
}
