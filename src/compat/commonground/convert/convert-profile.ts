import { isScalar, visit } from 'yaml';
import { convertDecider } from './convert-decider.ts';
import { convertObservers } from './convert-observers.ts';
import { convertSegments } from './convert-segments.ts';
import { convertStrategies } from './convert-strategies.ts';
import { convertTemplate } from './convert-template.ts';
import { convertTools } from './convert-tools.ts';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, setKeys, textAt } from '../edit-yaml.ts';
import { inheritedItems, keepApart } from '../inheritance.ts';
import { checkNamedTools } from '../named-tools.ts';
import { dropOtherForm, isAnnotation } from '../list-items.ts';
import { convertSecondKeys, type InnerConfig } from './convert-second.ts';
import { generationOf, secondKeys } from '../generation.ts';
import { find, type SourceFile } from '../source-file.ts';
import { type SourceTree, chainOf } from '../source-tree.ts';
import { isJsonObject } from '../../../core/json.ts';
import { convertOutputHandling } from './convert-output-handling.ts';

const kept: ReadonlySet<string> = new Set([
  'profile_id',
  'name',
  'type',
  'base_profile',
  'rev',
  'is_active',
  'is_deleted',
  'timestamp',
  'available_for_staffing',
  'description_for_human',
  'llm_config_ref',
  'tool_access_policy',
  'system_prompt_construction',
  'pre_turn_observers',
  'post_turn_observers',
  'flow_decider',
  'text_definitions',
  'inbox_handling_strategies',
  'exposable_as_tool',
]);

/** Converts one profile in place; returns the LLM config that was part of it, if any. */
export function convertProfile(file: SourceFile, tree: SourceTree, jsonFiles: ReadonlySet<string>): InnerConfig | undefined {
  const ids = (list: Parameters<typeof inheritedItems>[2]): ReadonlySet<string> => new Set(inheritedItems(file, tree, list).keys());
  convertKeys(file, tree);
  checkTextKeys(file, tree);
  for (const list of ['segments', 'pre_turn_observers', 'post_turn_observers', 'flow_decider'] as const)
    keepApart(file, tree, list);
  convertTools(file, tree);
  convertSegments(file, tree, ids('segments'));
  convertObservers(file, tree, { key: 'pre_turn_observers', inherited: ids('pre_turn_observers') });
  convertObservers(file, tree, { key: 'post_turn_observers', inherited: ids('post_turn_observers') });
  convertDecider(file, tree, ids('flow_decider'));
  convertOutputHandling(file, tree);
  convertStrategies(file, tree);
  convertDefinitions(file, tree);
  const inner = convertSecondKeys(file, tree, jsonFiles);
  if (generationOf(file.data) === 'v1') checkNamedTools(file, tree);
  return inner;
}

function convertKeys(file: SourceFile, tree: SourceTree): void {
  const { root } = file;
  for (const key of keysOf(root)) {
    if (nodeAt(root, key) === undefined && key !== 'exposable_as_tool') removeKey(root, key);
    else if (!kept.has(key) && !secondKeys.has(key) && key !== 'output_handling_config') leaveOut(file, key);
  }
  const exposed = nodeAt(root, 'exposable_as_tool');
  if (isScalar(exposed) ? exposed.value !== null : exposed !== undefined) {
    find(file, 'left_out', {
      at: keyNode(root, 'exposable_as_tool'),
      message: '`exposable_as_tool` had no effect in CommonGround',
      hint: 'docs/profiles.md explains how to expose a profile as a tool',
    });
    removeKey(root, 'exposable_as_tool');
  }
  for (const key of ['profile_id', 'timestamp', 'description_for_human']) asText(file, key);
  for (const key of ['is_active', 'is_deleted', 'available_for_staffing']) asFlag(file, key);
  const config = textAt(root, 'llm_config_ref');
  if (config !== undefined && !tree.llmConfigs.has(config.value))
    find(file, 'not_converted', {
      at: config,
      message: `there is no LLM config ${config.value} in the tree`,
      hint: 'write it, or refer to another one',
    });
}

const hints: Readonly<Record<string, string>> = {
  observers: 'write pre_turn_observers or post_turn_observers',
  segments: 'write system_prompt_construction: { system_prompt_segments: [...] }',
  system_prompt_segments: 'write it below system_prompt_construction',
  instructions: 'write a segment of type static_text',
  prompt: 'write a segment of type static_text',
  tools: 'write tool_access_policy: { allowed_individual_tools: [...] }',
  allowed_toolsets: 'write it below tool_access_policy',
  allowed_individual_tools: 'write it below tool_access_policy',
  model: 'write an LLM config, and name it with llm_config_ref',
};

function leaveOut(file: SourceFile, key: string): void {
  const node = nodeAt(file.root, key);
  const isIdle = isAnnotation(key) || (isScalar(node) && node.value === null);
  if (isIdle) find(file, 'left_out', { at: keyNode(file.root, key), message: `profiles have no \`${key}\` in Cadre` });
  else
    find(file, 'not_converted', {
      at: keyNode(file.root, key),
      message: `profiles have no \`${key}\` in Cadre, nor in any known generation`,
      hint: (Object.hasOwn(hints, key) ? hints[key] : undefined) ?? 'docs/profiles.md lists the keys of profiles',
    });
  removeKey(file.root, key);
}

function asText(file: SourceFile, key: string): void {
  const node = nodeAt(file.root, key);
  if (isScalar(node) && typeof node.value !== 'string')
    setKeys(file.document, file.root, { [key]: node.source ?? String(node.value) });
}

/** Converts YAML 1.1 booleans, which YAML 1.2 reads as texts. */
function asFlag(file: SourceFile, key: string): void {
  const text = textAt(file.root, key)?.value.toLowerCase();
  if (text === 'yes' || text === 'on') setKeys(file.document, file.root, { [key]: true });
  if (text === 'no' || text === 'off') setKeys(file.document, file.root, { [key]: false });
}

function convertDefinitions(file: SourceFile, tree: SourceTree): void {
  const definitions = mapAt(file.root, 'text_definitions');
  if (definitions === undefined) return dropOtherForm(file, file.root, { key: 'text_definitions', form: 'a map of texts' });
  for (const key of keysOf(definitions)) {
    const text = textAt(definitions, key);
    if (text !== undefined) convertTemplate(file, text, { tree });
    else dropOtherForm(file, definitions, { key, form: 'a text' });
  }
}

/**
 * Notes each `content_key` without a text definition: in CommonGround the model got an error message, in Cadre it does not load.
 */
function checkTextKeys(file: SourceFile, tree: SourceTree): void {
  const inheriting = [...tree.profiles.values()].filter((other) => chainOf(other, tree.profiles)?.includes(file) === true);
  const defined = new Set(
    [...inheriting, ...(chainOf(file, tree.profiles) ?? [file])].flatMap(({ data }) => {
      const { text_definitions: texts } = data;
      return isJsonObject(texts) ? Object.keys(texts) : [];
    }),
  );
  visit(file.document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== 'content_key' || !isScalar(value) || typeof value.value !== 'string') return;
      if (defined.has(value.value)) return;
      find(file, 'not_converted', {
        at: value,
        message: `there is no text definition ${value.value}; the model got an error message instead`,
        hint: 'write it in text_definitions',
      });
    },
  });
}
