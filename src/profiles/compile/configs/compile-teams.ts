import type { CompiledProfile, TeamFacts } from '../../../core/profile/profile.ts';
import { nameHint, quote } from '../../wording.ts';
import type { MapNode } from '../../yaml/source-node.ts';
import { checkLlmConfig, type KnownConfigs } from './choose-llm-config.ts';
import { mapNode, textNode } from '../read-node.ts';

/** Returns the facts of the last loaded team; reports a default profile that does not exist. */
export function compileTeams(
  roots: readonly MapNode[],
  profiles: ReadonlyMap<string, CompiledProfile>,
  context: KnownConfigs,
): TeamFacts | undefined {
  const { report } = context;
  let team: TeamFacts | undefined;
  for (const root of roots) {
    const first = textNode(root, 'default_profile');
    if (first !== undefined && !profiles.has(first.value)) {
      const message = `the default profile ${quote(first.value)} does not exist`;
      report.error('UNKNOWN_PROFILE', { at: first.at, message, hint: nameHint(first.value, new Set(profiles.keys()), 'profiles') });
    }
    const description = textNode(root, 'description')?.value;
    const titles = textNode(mapNode(root, 'titles'), 'llm_config');
    const llm = textNode(root, 'llm');
    team = {
      name: textNode(root, 'name')?.value ?? '',
      ...(description === undefined ? {} : { description }),
      ...(first === undefined ? {} : { defaultProfile: first.value }),
      ...(llm === undefined ? {} : { llmConfig: checkLlmConfig(context, llm) }),
      ...(titles === undefined ? {} : { titles: { llmConfig: checkLlmConfig(context, titles) } }),
    };
  }
  return team;
}
