import type { CompiledProfile, TeamFacts } from '../../core/profile.ts';
import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import type { MapNode } from '../yaml/source-node.ts';
import { textNode } from './read-node.ts';

/** What the last of the teams that are loaded says; its default profile must exist. */
export function compileTeams(
  roots: readonly MapNode[],
  profiles: ReadonlyMap<string, CompiledProfile>,
  report: Report,
): TeamFacts | undefined {
  let team: TeamFacts | undefined;
  for (const root of roots) {
    const first = textNode(root, 'default_profile');
    if (first !== undefined && !profiles.has(first.value)) {
      const message = `there is no profile ${quote(first.value)} to begin with`;
      report.error('UNKNOWN_PROFILE', first.at, message, nameHint(first.value, new Set(profiles.keys()), 'profiles'));
    }
    const description = textNode(root, 'description')?.value;
    team = {
      name: textNode(root, 'name')?.value ?? '',
      ...(description === undefined ? {} : { description }),
      ...(first === undefined ? {} : { defaultProfile: first.value }),
    };
  }
  return team;
}
