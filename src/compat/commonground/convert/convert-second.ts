import { isScalar, isSeq, stringify, type Node, type Scalar } from 'yaml';
import { parseFormat } from './convert-format.ts';
import { convertSettings } from './convert-llm-config.ts';
import { convertSecondTools } from './convert-second-tools.ts';
import { delegationOf, rosterText, tagsOf } from '../delegation.ts';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, renameKey, setKey, setText, textAt } from '../edit-yaml.ts';
import { generationKeys, generationOf } from '../generation.ts';
import { dropOtherForm } from '../list-items.ts';
import { newTool } from '../names.ts';
import { newSecondTool, renameSecondTools } from '../second-names.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** An LLM config that stood in a profile. */
export interface InnerConfig {
  readonly name: string;
  readonly text: string;
}

const types = ['partner', 'principal', 'associate', 'base'] as const;

/**
 * Converts the keys of the second generation in place, after those of the first: one prompt, lists of tools, whom the agent may give
 * work to, what it must end with, and its model, which becomes a file of its own.
 */
export function convertSecondKeys(file: SourceFile, tree: SourceTree, jsonFiles: ReadonlySet<string>): InnerConfig | undefined {
  convertDescription(file);
  convertTags(file);
  dropDisplayName(file);
  if (generationOf(file.data) === 'v1') return undefined;
  const { root } = file;
  find(file, 'changed', keyNode(root, 'name'), `a profile of the second generation, by ${generationKeys(file.data).join(', ')}`);
  convertWorker(file);
  convertPrompt(file, tree);
  convertSecondTools(file, tree);
  return convertConfig(file, tree, jsonFiles);
}

/** Gives a key its name here, unless the profile says both. */
function moveKey(file: SourceFile, from: string, to: string): boolean {
  if (!keysOf(file.root).includes(to)) {
    renameKey(file.root, from, to);
    return true;
  }
  find(file, 'not_converted', keyNode(file.root, from), `the profile has \`${to}\`, too, which is what \`${from}\` is here`, {
    hint: 'write one of the two',
  });
  removeKey(file.root, from);
  return false;
}

function convertDescription(file: SourceFile): void {
  const text = textAt(file.root, 'description');
  if (text === undefined) return dropOtherForm(file, file.root, 'description', 'a text');
  moveKey(file, 'description', 'description_for_human');
}

/** The kind of an agent was one of its tags; the others chose whom to give work to. */
function convertTags(file: SourceFile): void {
  const { root } = file;
  if (!keysOf(root).includes('tags')) return;
  const tags = tagsOf(file.data);
  const type = types.find((each) => tags.includes(each));
  const rest = tags.filter((tag) => tag !== type);
  const at = keyNode(root, 'tags');
  const takesType = generationOf(file.data) === 'v2' && type !== undefined && !keysOf(root).includes('type');
  if (takesType) find(file, 'changed', at, `the tag ${type} is \`type: ${type}\` here`);
  const others = takesType ? rest : tags;
  if (others.length > 0)
    find(file, 'left_out', at, `profiles have no tags here; callable_profiles are written out: ${others.join(', ')}`);
  else if (!takesType) find(file, 'left_out', at, 'profiles have no tags here');
  if (takesType) setKey(file.document, root, 'tags', type);
  if (takesType) renameKey(root, 'tags', 'type');
  else removeKey(root, 'tags');
}

function dropDisplayName(file: SourceFile): void {
  if (!keysOf(file.root).includes('display_name')) return;
  find(file, 'left_out', keyNode(file.root, 'display_name'), 'an agent is shown by its role, or the name of its profile');
  removeKey(file.root, 'display_name');
}

/** Which program runs the agent: the generic one is the engine; any other had a meaning of its own. */
function convertWorker(file: SourceFile): void {
  const { root } = file;
  if (!keysOf(root).includes('worker_target')) return;
  const worker = textAt(root, 'worker_target');
  const at = keyNode(root, 'worker_target');
  if (worker?.value === 'worker_generic' || worker?.value === '')
    find(file, 'left_out', at, 'the engine runs all agents; `worker_target` chose the program that did');
  else
    find(file, 'not_converted', at, `agents of this profile were run by another program: ${worker?.value ?? 'unknown'}`, {
      hint: 'a function registered with the engine can answer for them: function_node in docs/profiles.md',
    });
  removeKey(root, 'worker_target');
}

function convertPrompt(file: SourceFile, tree: SourceTree): void {
  const { root } = file;
  for (const key of ['system_prompt_template', 'system_prompt']) {
    const text = textAt(root, key);
    if (text === undefined) {
      dropOtherForm(file, root, key, 'a text');
      continue;
    }
    if (keysOf(root).includes('instructions')) {
      find(file, 'left_out', keyNode(root, key), '`system_prompt_template` came first, and this was not read');
      removeKey(root, key);
    } else if (text.value.trim() === '') {
      find(file, 'left_out', keyNode(root, key), `\`${key}\` is empty`);
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
    find(file, 'changed', text, 'the braces of this prompt are no places to fill in, and made it fail there; here they are text');
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
    find(file, 'changed', text, `{${part.name}} is written out; it does not follow when profiles are added`);
    return value();
  });
  if (renamed.size > 0)
    find(file, 'changed', text, `names of tools in the text: ${[...renamed].join(', ')}`, {
      hint: 'their arguments have other names, too: read what the text says of them',
    });
  setText(text, filled.join('').trim());
  if (text.value.includes('\n')) text.type = 'BLOCK_LITERAL';
  file.converted.texts += 1;
}

/** The model was named in the profile, and is a file of its own here. What was not said came from the source system. */
function convertConfig(file: SourceFile, tree: SourceTree, jsonFiles: ReadonlySet<string>): InnerConfig | undefined {
  const { root } = file;
  const profile = textAt(root, 'name')?.value ?? '';
  if (nodeAt(root, 'llm_config') !== undefined && mapAt(root, 'llm_config') === undefined)
    dropOtherForm(file, root, 'llm_config', 'a map of settings');
  if (keysOf(root).includes('llm_config_ref')) {
    if (keysOf(root).includes('llm_config')) moveKey(file, 'llm_config', 'llm_config_ref');
    return undefined;
  }
  if (mapAt(root, 'llm_config') === undefined) setKey(file.document, root, 'llm_config', {});
  const config = mapAt(root, 'llm_config');
  if (config === undefined) return undefined;
  convertChoice(file, nodeAt(config, 'tool_choice'));
  removeKey(config, 'tool_choice');
  if (nodeAt(config, 'model') === undefined) {
    setKey(file.document, config, 'model', 'gpt-3.5-turbo');
    find(file, 'changed', keyNode(root, 'name'), 'the profile names no model, which was gpt-3.5-turbo there');
  }
  convertSettings(file, config, jsonFiles);
  let name = `${profile}_llm`;
  for (let round = 2; tree.llmConfigs.has(name); round += 1) name = `${profile}_llm_${round}`;
  const text = stringify({ name, type: 'llm_config', config: config.toJSON() as unknown }, { lineWidth: 0 });
  find(
    file,
    'changed',
    keyNode(root, 'llm_config') ?? keyNode(root, 'name'),
    `the model is an LLM config of its own here: ${name}`,
  );
  setKey(file.document, root, 'llm_config', name);
  renameKey(root, 'llm_config', 'llm_config_ref');
  return { name, text };
}

/** `tool_choice` belongs to the profile here: auto, none, required, or the name of a tool. */
function convertChoice(file: SourceFile, node: Node | undefined): void {
  if (node === undefined || (isScalar(node) && node.value === null)) return;
  const plain = isScalar(node) ? node.value : undefined;
  const json = isScalar(node) || isSeq(node) ? undefined : (node.toJSON(file.document) as { function?: { name?: unknown } });
  const called = json?.function?.name;
  if (plain === 'auto' || plain === 'none' || plain === 'required') return setKey(file.document, file.root, 'tool_choice', plain);
  const name = typeof called === 'string' ? (newSecondTool(called) ?? newTool(called))?.name : undefined;
  if (name !== undefined) return setKey(file.document, file.root, 'tool_choice', name);
  find(file, 'not_converted', node, 'this choice of tools is not known', { hint: 'auto, none, required, or the name of a tool' });
}
