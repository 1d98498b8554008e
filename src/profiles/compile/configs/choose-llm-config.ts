import { isModelName } from '../../../core/model/model-provider.ts';
import { configHint } from '../../config-hint.ts';
import { nameHint, quote } from '../../wording.ts';
import type { MapNode, ScalarNode } from '../../yaml/source-node.ts';
import type { CompileContext } from '../compile-context.ts';
import { textNode } from '../read-node.ts';

/** Parts of the context that describe the known LLM configs. */
export type KnownConfigs = Pick<CompileContext, 'report' | 'known' | 'llmConfigs' | 'abstractLlmConfigs' | 'broken'>;

const defaultName = 'default';

/**
 * Returns the LLM config a profile uses: the one it names, else `default`, else the only one. Without LLM config files and known
 * models, the name is not checked.
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
      report.error('UNKNOWN_LLM_CONFIG', {
        at: profile.at,
        message,
        hint:
          usable.size === 0
            ? 'add one to llm_configs/, or hand a model to the engine'
            : nameHint('', usable, 'known LLM configs and models'),
      });
    }
    return '';
  }
  return checkLlmConfig(context, ref);
}

function usableConfigs({ known, llmConfigs, abstractLlmConfigs }: KnownConfigs): ReadonlySet<string> {
  return new Set([...llmConfigs].filter((name) => !abstractLlmConfigs.has(name)).concat([...(known.models ?? [])]));
}

/** Checks the LLM config that a key of a profile names, reports it when unknown, and returns the name. */
export function checkLlmConfig(context: KnownConfigs, ref: ScalarNode & { readonly value: string }): string {
  const { report, known, llmConfigs, abstractLlmConfigs } = context;
  const usable = usableConfigs(context);
  const isChecked = llmConfigs.size > 0 || known.models !== undefined;
  if (!isChecked || usable.has(ref.value) || context.broken.has(ref.value) || isModelName(ref.value)) return ref.value;
  if (abstractLlmConfigs.has(ref.value)) {
    report.error('UNKNOWN_LLM_CONFIG', {
      at: ref.at,
      message: `the LLM config ${quote(ref.value)} names no model and is only inherited from`,
      hint: nameHint('', usable, 'known LLM configs and models'),
    });
  } else {
    report.error('UNKNOWN_LLM_CONFIG', {
      at: ref.at,
      message: `there is no LLM config or model ${quote(ref.value)}`,
      hint: configHint(ref.value, usable),
    });
  }
  return ref.value;
}
