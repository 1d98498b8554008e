import type { LlmConfig } from '../../core/model/llm-config.ts';
import { isModelName } from '../../core/model/model-provider.ts';
import type { Report } from '../report.ts';
import { configHint } from '../config-hint.ts';
import { quote } from '../wording.ts';
import { childOf, type MapNode, type Place, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';
import { compileLlmConfig, type LlmConfigContext } from './configs/compile-llm-config.ts';
import { lookUpValues } from './configs/environment-values.ts';

/** Configs and names that aliases are resolved against. */
export interface AliasScope extends LlmConfigContext {
  readonly configs: ReadonlyMap<string, LlmConfig>;
  readonly broken: ReadonlySet<string>;
}

/** True when an LLM config file only gives another config a second name. */
export function isAlias(node: MapNode): boolean {
  return node.entries.has('alias_of');
}

/**
 * Resolves aliases among LLM configs: each yields the config it names, directly or through other aliases, or a config for a model
 * named `provider/model`. Aliases with an unknown target, or in a circle, are reported and left out.
 */
export function compileAliases(nodes: ReadonlyMap<string, MapNode>, scope: AliasScope): ReadonlyMap<string, LlmConfig> {
  const aliases = new Map<string, LlmConfig>();
  for (const [name, node] of nodes) {
    checkAlias(node, scope.report);
    const config = follow(name, nodes, scope);
    if (config !== undefined) aliases.set(name, config);
  }
  return aliases;
}

function follow(start: string, nodes: ReadonlyMap<string, MapNode>, scope: AliasScope): LlmConfig | undefined {
  const { configs, models, report, broken } = scope;
  const chain = [start];
  for (let node = nodes.get(start); node !== undefined;) {
    const target = targetOf(node, scope);
    if (target === undefined) return undefined;
    const name = String(target.value);
    const config = configs.get(name);
    if (config !== undefined) return config;
    if (nodes.has(name)) {
      if (chain.includes(name)) {
        // Report each alias in the circle at its own place, but not aliases that merely lead into it.
        if (name === start)
          report.error('BASE_CYCLE', {
            at: target.at,
            message: `aliases in a circle: ${[...chain, name].join(' -> ')}`,
            hint: 'let one name a config',
          });
        return undefined;
      }
      chain.push(name);
      node = nodes.get(name);
      continue;
    }
    if (models.has(name) || isModelName(name)) return compileLlmConfig(scope, configNaming(target, start), start);
    if (chain.length === 1 && !broken.has(name)) {
      const hint = configHint(name, [...configs.keys(), ...models, ...nodes.keys()]);
      report.error('UNKNOWN_LLM_CONFIG', { at: target.at, message: `there is no LLM config or model ${quote(name)}`, hint });
    }
    return undefined;
  }
  return undefined;
}

/** Returns the target of an alias; reports a target that is missing from the environment. */
function targetOf(node: MapNode, { values, report }: AliasScope): ScalarNode | undefined {
  const written = node.entries.get('alias_of');
  if (written === undefined) return undefined;
  const only: MapNode = { kind: 'map', at: node.at, entries: new Map([['alias_of', written]]) };
  const { node: found, missing } = lookUpValues(only, values);
  const target = childOf(found, 'alias_of');
  if (target?.kind === 'scalar' && target.value !== null) return target;
  if (written.value.kind === 'map') {
    const names = missing.length === 0 ? 'its variable' : missing.join(', ');
    report.error('BAD_ENVIRONMENT_VALUE', {
      at: written.value.at,
      message: `the alias has no target while ${names} is not set`,
      hint: 'set it, or give a default',
    });
  }
  return undefined;
}

/** Builds the tree of a config that contains only its model. */
function configNaming(target: ScalarNode, alias: string): MapNode {
  const { at } = target;
  const name: ScalarNode = { kind: 'scalar', at, value: alias, style: 'plain', written: alias };
  return mapOf(at, { name, config: mapOf(at, { model: target }) });
}

function mapOf(at: Place, values: Readonly<Record<string, SourceNode>>): MapNode {
  return { kind: 'map', at, entries: new Map(Object.entries(values).map(([key, value]) => [key, { keyAt: at, value }])) };
}

function checkAlias(node: MapNode, report: Report): void {
  for (const key of ['config', 'base_llm_config']) {
    const entry = node.entries.get(key);
    if (entry !== undefined)
      report.error('NOT_ALLOWED', {
        at: entry.keyAt,
        message: `an alias has no ${quote(key)}: it uses the config it names`,
        hint: 'leave it out, or inherit instead of alias_of',
      });
  }
}
