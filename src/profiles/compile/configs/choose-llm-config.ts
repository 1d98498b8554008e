import { isModelName } from '../../../core/model/model-provider.ts';
import { configHint } from '../../config-hint.ts';
import { nameHint, quote } from '../../wording.ts';
import type { MapNode, ScalarNode } from '../../yaml/source-node.ts';
import type { CompileContext } from '../compile-context.ts';
import { textNode } from '../read-node.ts';

/** What is known of LLM configs. */
export type KnownConfigs = Pick<CompileContext, 'report' | 'known' | 'llmConfigs' | 'abstractLlmConfigs' | 'broken'>;

const defaultName = 'default';

/**
 * The LLM config a profile speaks with: the one it names, else `default`, else the only one there is. Without any LLM
 * config file and without known models nothing can be checked, and the name is taken as it is.
 */
export function chooseLlmConfig(context: CompileContext, profile: MapNode, isOptional: boolean): string {
  const { report, known, llmConfigs } = context;
  const usable = usableConfigs(context);
  const ref = textNode(profile, 'llm_config_ref');
  const isChecked = llmConfigs.size > 0 || known.models !== undefined;
  if (ref === undefined) {
    if (usable.has(defaultName)) return defaultName;
    const [only] = usable;
    if (usable.size === 1 && only !== undefined) return only;
    if (isChecked && !isOptional && context.broken.size === 0) {
      const message =
        usable.size === 0
          ? 'there is no LLM config the profile could use'
          : '`llm_config_ref` is missing, and there is more than one LLM config';
      report.error(
        'UNKNOWN_LLM_CONFIG',
        profile.at,
        message,
        usable.size === 0
          ? 'add one to llm_configs/, or hand a model to the engine'
          : nameHint('', usable, 'known LLM configs and models'),
      );
    }
    return '';
  }
  return checkLlmConfig(context, ref);
}

function usableConfigs({ known, llmConfigs, abstractLlmConfigs }: KnownConfigs): ReadonlySet<string> {
  return new Set([...llmConfigs].filter((name) => !abstractLlmConfigs.has(name)).concat([...(known.models ?? [])]));
}

/** The name of an LLM config that some key of a profile names; one that does not exist is reported. */
export function checkLlmConfig(context: KnownConfigs, ref: ScalarNode & { readonly value: string }): string {
  const { report, known, llmConfigs, abstractLlmConfigs } = context;
  const usable = usableConfigs(context);
  const isChecked = llmConfigs.size > 0 || known.models !== undefined;
  if (!isChecked || usable.has(ref.value) || context.broken.has(ref.value) || isModelName(ref.value)) return ref.value;
  if (abstractLlmConfigs.has(ref.value)) {
    report.error(
      'UNKNOWN_LLM_CONFIG',
      ref.at,
      `the LLM config ${quote(ref.value)} names no model and is only inherited from`,
      nameHint('', usable, 'known LLM configs and models'),
    );
  } else {
    report.error(
      'UNKNOWN_LLM_CONFIG',
      ref.at,
      `there is no LLM config or model ${quote(ref.value)}`,
      configHint(ref.value, usable),
    );
  }
  return ref.value;
}
