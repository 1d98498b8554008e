import { isScalar, type YAMLMap } from 'yaml';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, textAt } from '../edit-yaml.ts';
import { find, type SourceFile } from '../source-file.ts';

const names = ['provider', 'custom_llm_provider'] as const;

/**
 * The second generation names the provider beside the model, on its own or among `provider_options`; here it is the first part of the
 * model's name. What else `provider_options` hold were arguments of LiteLLM, which join the other settings.
 */
export function convertProvider(file: SourceFile, config: YAMLMap): void {
  spreadOptions(file, config);
  for (const key of names) {
    const provider = textAt(config, key);
    if (provider === undefined) continue;
    const model = textAt(config, 'model');
    const [before] = model?.value.includes('/') === true ? model.value.split('/') : [undefined];
    if (model === undefined) {
      find(file, 'not_converted', keyNode(config, key), `the provider ${provider.value} stands beside no model`, {
        hint: 'write model: provider/model',
      });
    } else if (before === undefined) {
      model.value = `${provider.value}/${model.value}`;
      find(file, 'changed', keyNode(config, key), `\`${key}\` is part of the name of the model here: ${model.value}`);
    } else if (before === provider.value) {
      find(file, 'left_out', keyNode(config, key), `\`${key}\`: the name of the model says it`);
    } else {
      find(file, 'not_converted', keyNode(config, key), `${model.value} was asked of the provider ${provider.value}`, {
        hint: 'write model: provider/model with the provider whose API answers',
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
      find(file, 'not_converted', keyNode(options, name), `\`${name}\` stands in provider_options and beside them`, {
        hint: 'write one of the two',
      });
  }
  removeKey(config, 'provider_options');
}
