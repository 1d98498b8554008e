import type { LlmConfig } from '../../../core/model/llm-config.ts';
import { closestName } from '../../../core/expression/closest-name.ts';
import { findProvider, isModelName, providerNames } from '../../../core/model/model-provider.ts';
import type { Report } from '../../report.ts';
import { configHint } from '../../config-hint.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import { namesModel } from '../configs/compile-llm-config.ts';
import { mapNode, readText, textItems, textNode } from '../read-node.ts';

/** LLM configs to check, with the names they may refer to. */
export interface LlmConfigSet {
  readonly configs: ReadonlyMap<string, LlmConfig>;
  /** Trees the configs were compiled from. */
  readonly nodes: ReadonlyMap<string, MapNode>;
  readonly models: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
}

/** Checks references between LLM configs; returns the names of those without a model that are only inherited from. */
export function checkLlmConfigs(set: LlmConfigSet, report: Report): ReadonlySet<string> {
  const usable = new Set([...set.configs.keys(), ...set.models]);
  const bases = new Set([...set.nodes.values()].flatMap(baseNames));
  const abstract = new Set<string>();
  for (const [name, node] of set.nodes) {
    const config = set.configs.get(name);
    const settings = mapNode(node, 'config');
    const standIn = textNode(settings, 'when_unconfigured');
    for (const reference of [...textItems(settings, 'fallbacks'), ...(standIn === undefined ? [] : [standIn])]) {
      if (usable.has(reference.value) || set.broken.has(reference.value) || isModelName(reference.value)) continue;
      report.error('UNKNOWN_LLM_CONFIG', {
        at: reference.at,
        message: `there is no LLM config or model ${quote(reference.value)}`,
        hint: configHint(reference.value, usable),
      });
    }
    warnOfProvider(report, config, { settings, models: set.models });
    warnOfProtocols(report, config, { configs: set.configs, fallbacks: textItems(settings, 'fallbacks') });
    const circle = standInCircle(name, set.configs);
    if (circle !== undefined && standIn !== undefined) {
      report.error('BASE_CYCLE', {
        at: standIn.at,
        message: `when_unconfigured goes in a circle: ${circle.join(' -> ')}`,
        hint: 'let it end at a config that needs nothing',
      });
    }
    if (config === undefined || namesModel(config) || config.missing.length > 0 || set.models.has(name)) continue;
    if (isWronglySet(settings)) continue;
    if (bases.has(name)) abstract.add(name);
    else
      report.error('MISSING_KEY', {
        at: (settings ?? node).at,
        message: `LLM config ${quote(name)} names no model`,
        hint: 'add model: provider/model below config:',
      });
  }
  return abstract;
}

/** Warns of fallbacks with another tool protocol: a fallback answers the original request, including its tools. */
function warnOfProtocols(
  report: Report,
  config: LlmConfig | undefined,
  { configs, fallbacks }: { readonly configs: LlmConfigSet['configs']; readonly fallbacks: ReturnType<typeof textItems> },
): void {
  const own = config?.toolProtocol ?? 'native';
  for (const { at, value } of fallbacks) {
    const other = configs.get(value)?.toolProtocol ?? 'native';
    if (config === undefined || other === own) continue;
    report.warning('FALLBACK_PROTOCOL', {
      at,
      message: `the fallback ${quote(value)} has tool_protocol ${other}, and is asked in that of ${quote(config.name)}, ${own}`,
      hint: `give ${quote(config.name)} tool_protocol: ${other}, or name another fallback`,
    });
  }
}

/** True when the model is looked up in a way that was reported already. */
function isWronglySet(settings: MapNode | undefined): boolean {
  const model = childOf(settings, 'model');
  return model !== undefined && readText(model, '_type') !== 'from_env';
}

function baseNames(node: MapNode): readonly string[] {
  const one = textNode(node, 'base_llm_config');
  return one === undefined ? textItems(node, 'base_llm_config').map((item) => item.value) : [one.value];
}

function standInCircle(start: string, configs: ReadonlyMap<string, LlmConfig>): readonly string[] | undefined {
  const chain = [start];
  for (let next = configs.get(start)?.whenUnconfigured; next !== undefined; next = configs.get(next)?.whenUnconfigured) {
    if (next === start) return [...chain, next];
    if (chain.includes(next)) return undefined;
    chain.push(next);
  }
  return undefined;
}

/** Reports looked-up values (`_type: from_env`) in files other than LLM configs, so that no secret enters a prompt. */
export function refuseLookups(node: MapNode, report: Report): void {
  for (const entry of node.entries.values()) {
    const { value } = entry;
    const maps = value.kind === 'list' ? value.items.filter((item) => item.kind === 'map') : value.kind === 'map' ? [value] : [];
    for (const map of maps) {
      const type = childOf(map, '_type');
      if (type?.kind === 'scalar' && (type.value === 'from_env' || type.value === 'json_from_file')) {
        report.error('NOT_ALLOWED', {
          at: type.at,
          message: `${quote(type.value)} is for LLM configs only`,
          hint: 'hand the value to the run as a parameter instead',
        });
      }
      refuseLookups(map, report);
    }
  }
}

/** Warns of an unknown provider, unless code supplied the model. */
function warnOfProvider(
  report: Report,
  config: LlmConfig | undefined,
  { settings, models }: { readonly settings: MapNode | undefined; readonly models: ReadonlySet<string> },
): void {
  const { name = '', provider = '', model = '' } = config ?? {};
  if (provider === '' || provider === 'scripted' || provider === 'replay' || findProvider(provider) !== undefined) return;
  if ([name, model, `${provider}/${model}`, 'default', '*'].some((given) => models.has(given))) return;
  const at = (textNode(settings, 'provider') ?? textNode(settings, 'model'))?.at;
  if (at === undefined) return;
  const meant = closestName(provider, providerNames);
  const hint = meant === undefined ? `known providers: ${providerNames.join(', ')}` : `did you mean ${quote(meant)}?`;
  report.warning('UNKNOWN_PROVIDER', { at, message: `there is no provider ${quote(provider)}`, hint });
}
