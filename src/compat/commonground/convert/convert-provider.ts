import { isScalar, type YAMLMap } from 'yaml';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, textAt } from '../edit-yaml.ts';
import { find, type SourceFile } from '../source-file.ts';

const names = ['provider', 'custom_llm_provider'] as const;

/**
 * Moves the provider into the model's name. The second generation named it beside the model, directly or in `provider_options`;
 * the other `provider_options` were arguments of LiteLLM and join the settings.
 */
export function convertProvider(file: SourceFile, config: YAMLMap): void {
  spreadOptions(file, config);
  for (const key of names) {
    const provider = textAt(config, key);
    if (provider === undefined) continue;
    const model = textAt(config, 'model');
    const [before] = model?.value.includes('/') === true ? model.value.split('/') : [undefined];
    if (model === undefined) {
      find(file, 'not_converted', {
        at: keyNode(config, key),
        message: `the provider ${provider.value} has no model`,
        hint: 'write model: provider/model',
      });
    } else if (before === undefined) {
      model.value = `${provider.value}/${model.value}`;
      find(file, 'changed', { at: keyNode(config, key), message: `\`${key}\` is now part of the model name: ${model.value}` });
    } else if (before === provider.value) {
      find(file, 'left_out', { at: keyNode(config, key), message: `\`${key}\` is already part of the model name` });
    } else {
      find(file, 'not_converted', {
        at: keyNode(config, key),
        message: `${model.value} came from the provider ${provider.value}`,
        hint: 'write model: provider/model with the provider whose API is called',
      });
    }
    removeKey(config, key);
  }
}

function spreadOptions(file: SourceFile, config: YAMLMap): void {
  const options = mapAt(config, 'provider_options');
  if (options === undefined) return;
  for (const pair of options.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!keysOf(config).includes(name)) config.items.push(pair);
    else if (nodeAt(options, name) !== undefined)
      find(file, 'not_converted', {
        at: keyNode(options, name),
        message: `\`${name}\` appears both inside and outside provider_options`,
        hint: 'keep one of them',
      });
  }
  removeKey(config, 'provider_options');
}
