import { isScalar, isSeq, stringify, type Node, type Scalar } from 'yaml';
import { convertSettings } from './convert-llm-config.ts';
import { convertSecondTools } from './convert-second-tools.ts';
import { delegationOf, rosterText, tagsOf } from '../delegation.ts';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, renameKey, setKeys, setText, textAt } from '../edit-yaml.ts';
import { generationKeys, generationOf } from '../generation.ts';
import { dropOtherForm } from '../list-items.ts';
import { newTool } from '../names.ts';
import { newSecondTool, renameSecondTools } from '../second-names.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** LLM config that was part of a profile. */
export interface InnerConfig {
  readonly name: string;
  readonly text: string;
}

const types = ['partner', 'principal', 'associate', 'base'] as const;

/**
 * Converts the keys of the second generation in place, after those of the first: the prompt, lists of tools, delegation, the
 * ending tool, and the model, which becomes a separate file.
 */
export function convertSecondKeys(file: SourceFile, tree: SourceTree, jsonFiles: ReadonlySet<string>): InnerConfig | undefined {
  convertDescription(file);
  convertTags(file);
  dropDisplayName(file);
  if (generationOf(file.data) === 'v1') return undefined;
  const { root } = file;
  find(file, 'changed', {
    at: keyNode(root, 'name'),
    message: `a profile of the second generation, by ${generationKeys(file.data).join(', ')}`,
  });
  convertWorker(file);
  convertPrompt(file, tree);
  convertSecondTools(file, tree);
  return convertConfig(file, tree, jsonFiles);
}

/** Renames a key, unless the profile has both names; true when renamed. */
function moveKey(file: SourceFile, from: string, to: string): boolean {
  if (!keysOf(file.root).includes(to)) {
    renameKey(file.root, from, to);
    return true;
  }
  find(file, 'not_converted', {
    at: keyNode(file.root, from),
    message: `the profile also has \`${to}\`, which replaces \`${from}\` in Cadre`,
    hint: 'keep one of them',
  });
  removeKey(file.root, from);
  return false;
}

function convertDescription(file: SourceFile): void {
  const text = textAt(file.root, 'description');
  if (text === undefined) return dropOtherForm(file, file.root, { key: 'description', form: 'a text' });
  moveKey(file, 'description', 'description_for_human');
}

/** Converts tags: one of them was the type of the agent, the others chose profiles for delegation. */
function convertTags(file: SourceFile): void {
  const { root } = file;
  if (!keysOf(root).includes('tags')) return;
  const tags = tagsOf(file.data);
  const type = types.find((each) => tags.includes(each));
  const rest = tags.filter((tag) => tag !== type);
  const at = keyNode(root, 'tags');
  const takesType = generationOf(file.data) === 'v2' && type !== undefined && !keysOf(root).includes('type');
  if (takesType) find(file, 'changed', { at, message: `the tag ${type} is now \`type: ${type}\`` });
  const others = takesType ? rest : tags;
  if (others.length > 0)
    find(file, 'left_out', {
      at,
      message: `profiles have no tags in Cadre; callable_profiles are written out: ${others.join(', ')}`,
    });
  else if (!takesType) find(file, 'left_out', { at, message: 'profiles have no tags in Cadre' });
  if (takesType) setKeys(file.document, root, { tags: type });
  if (takesType) renameKey(root, 'tags', 'type');
  else removeKey(root, 'tags');
}

function dropDisplayName(file: SourceFile): void {
  if (!keysOf(file.root).includes('display_name')) return;
  find(file, 'left_out', { at: keyNode(file.root, 'display_name'), message: 'agents are displayed by their role or profile name' });
  removeKey(file.root, 'display_name');
}

/**
 * Converts the worker target, the program that runs the agent: Cadre's engine replaces the generic one; others cannot be
 * converted.
 */
function convertWorker(file: SourceFile): void {
  const { root } = file;
  if (!keysOf(root).includes('worker_target')) return;
  const worker = textAt(root, 'worker_target');
  const at = keyNode(root, 'worker_target');
  if (worker?.value === 'worker_generic' || worker?.value === '')
    find(file, 'left_out', { at, message: 'the engine runs all agents; `worker_target` chose their program' });
  else
    find(file, 'not_converted', {
      at,
      message: `agents of this profile were run by another program: ${worker?.value ?? 'unknown'}`,
      hint: 'a registered function can replace it: function_node in docs/profiles.md',
    });
  removeKey(root, 'worker_target');
}

function convertPrompt(file: SourceFile, tree: SourceTree): void {
  const { root } = file;
  for (const key of ['system_prompt_template', 'system_prompt']) {
    const text = textAt(root, key);
    if (text === undefined) {
      dropOtherForm(file, root, { key, form: 'a text' });
      continue;
    }
    if (keysOf(root).includes('instructions')) {
      find(file, 'left_out', {
        at: keyNode(root, key),
        message: '`system_prompt_template` took precedence, and this key was ignored',
      });
      removeKey(root, key);
    } else if (text.value.trim() === '') {
      find(file, 'left_out', { at: keyNode(root, key), message: `\`${key}\` is empty` });
      removeKey(root, key);
    } else if (keysOf(root).includes('system_prompt_construction')) {
      moveKey(file, key, 'system_prompt_construction');
    } else {
      fillIn(file, tree, text);
      renameKey(root, key, 'instructions');
    }
  }
}

function fillIn(file: SourceFile, tree: SourceTree, text: Scalar<string>): void {
  const parts = parseFormat(text.value);
  if (parts === undefined)
    find(file, 'changed', {
      at: text,
      message: 'the braces of this prompt are not placeholders and made it fail in CommonGround; in Cadre they are text',
    });
  const roster = (): string => rosterText(delegationOf(file, tree).callable, tree);
  const values: Readonly<Record<string, () => string>> = {
    downstream_profiles_desc: roster,
    downstream_roster: roster,
    downstream_desc: roster,
  };
  const renamed = new Set<string>();
  const plain = (source: string): string => {
    const named = renameSecondTools(source);
    for (const each of named.renamed) renamed.add(each);
    return named.text.replaceAll('{{', '\\{{');
  };
  const filled = (parts ?? [{ text: text.value }]).map((part) => {
    if ('text' in part) return plain(part.text);
    if (part.name === 'display_name') return '{{ meta.profile }}';
    const value = Object.hasOwn(values, part.name) ? values[part.name] : undefined;
    if (value === undefined) return plain(`{${part.name}}`);
    find(file, 'changed', { at: text, message: `{${part.name}} is written out; it does not change when profiles are added` });
    return value();
  });
  if (renamed.size > 0)
    find(file, 'changed', {
      at: text,
      message: `renamed tools in the text: ${[...renamed].join(', ')}`,
      hint: 'their arguments have other names as well: check the text',
    });
  setText(text, filled.join('').trim());
  if (text.value.includes('\n')) text.type = 'BLOCK_LITERAL';
  file.converted.texts += 1;
}

/** Moves the model out of the profile into a separate file. CommonGround's defaults fill in missing settings. */
function convertConfig(file: SourceFile, tree: SourceTree, jsonFiles: ReadonlySet<string>): InnerConfig | undefined {
  const { root } = file;
  const profile = textAt(root, 'name')?.value ?? '';
  if (nodeAt(root, 'llm_config') !== undefined && mapAt(root, 'llm_config') === undefined)
    dropOtherForm(file, root, { key: 'llm_config', form: 'a map of settings' });
  if (keysOf(root).includes('llm_config_ref')) {
    if (keysOf(root).includes('llm_config')) moveKey(file, 'llm_config', 'llm_config_ref');
    return undefined;
  }
  if (mapAt(root, 'llm_config') === undefined) setKeys(file.document, root, { llm_config: {} });
  const config = mapAt(root, 'llm_config');
  if (config === undefined) return undefined;
  convertChoice(file, nodeAt(config, 'tool_choice'));
  removeKey(config, 'tool_choice');
  if (nodeAt(config, 'model') === undefined) {
    setKeys(file.document, config, { model: 'gpt-3.5-turbo' });
    find(file, 'changed', {
      at: keyNode(root, 'name'),
      message: 'the profile names no model, which meant gpt-3.5-turbo in CommonGround',
    });
  }
  convertSettings(file, config, jsonFiles);
  let name = `${profile}_llm`;
  for (let round = 2; tree.llmConfigs.has(name); round += 1) name = `${profile}_llm_${round}`;
  const text = stringify({ name, type: 'llm_config', config: config.toJSON() as unknown }, { lineWidth: 0 });
  find(file, 'changed', {
    at: keyNode(root, 'llm_config') ?? keyNode(root, 'name'),
    message: `the model is now a separate LLM config: ${name}`,
  });
  setKeys(file.document, root, { llm_config: name });
  renameKey(root, 'llm_config', 'llm_config_ref');
  return { name, text };
}

/** Moves `tool_choice` to the profile: auto, none, required, or a tool name. */
function convertChoice(file: SourceFile, node: Node | undefined): void {
  if (node === undefined || (isScalar(node) && node.value === null)) return;
  const plain = isScalar(node) ? node.value : undefined;
  const json = isScalar(node) || isSeq(node) ? undefined : (node.toJSON(file.document) as { function?: { name?: unknown } });
  const called = json?.function?.name;
  if (plain === 'auto' || plain === 'none' || plain === 'required')
    return setKeys(file.document, file.root, { tool_choice: plain });
  const name = typeof called === 'string' ? (newSecondTool(called) ?? newTool(called))?.name : undefined;
  if (name !== undefined) return setKeys(file.document, file.root, { tool_choice: name });
  find(file, 'not_converted', {
    at: node,
    message: 'this tool choice is unknown',
    hint: 'auto, none, required, or the name of a tool',
  });
}

/** Part of a text that Python's `format` fills in: plain text, or the name of a value. */
type FormatPart = { readonly text: string } | { readonly name: string };

/**
 * Parses a text as Python's `format` does: doubled braces are literal, `{name}` is a placeholder. Undefined when `format` rejects
 * it (a single brace; a placeholder without a name, or with an index or a format), which made the prompt fail.
 */
function parseFormat(source: string): readonly FormatPart[] | undefined {
  const parts: FormatPart[] = [];
  let plain = '';
  let rest = source;
  while (rest !== '') {
    const [token = ''] = /^(?:\{\{|\}\}|\{[^{}]*\}|[^{}]+)/.exec(rest) ?? [];
    if (token === '') return undefined;
    rest = rest.slice(token.length);
    if (token === '{{' || token === '}}') plain += token.slice(1);
    else if (token.startsWith('{')) {
      const name = token.slice(1, -1);
      if (!/^[^\d!:.[\]\s][^!:.[\]]*$/.test(name)) return undefined;
      parts.push({ text: plain }, { name });
      plain = '';
    } else plain += token;
  }
  return [...parts, { text: plain }];
}
