import type { Ingestor, IngestorView } from '../core/inbox/ingestor.ts';
import type { JsonValue } from '../core/json.ts';
import type { CompiledProfile } from '../core/profile/profile.ts';

/**
 * Lists the profiles that may be given work, sorted by name (A1.4): name, description and toolsets. The payload is a list of
 * profile names to choose from; anything else means all of them.
 */
export const availableAssociates: Ingestor = {
  name: 'available_associates',
  ingest: (payload, params, view) => {
    const profiles = chosen(payload, view);
    const title = typeof params['title'] === 'string' ? params['title'] : '### Available Associate Profiles';
    const body = profiles.length === 0 ? 'No associate profiles are available.' : profiles.map(describe).join('\n');
    return title === '' ? body : `${title}\n${body}`;
  },
};

function chosen(payload: JsonValue, view: IngestorView): readonly CompiledProfile[] {
  const names = Array.isArray(payload) && payload.length > 0 ? new Set<unknown>(payload) : undefined;
  return [...view.profiles.values()]
    .filter(
      (profile) =>
        profile.isActive &&
        !profile.isDeleted &&
        profile.type !== 'base' &&
        profile.availableForStaffing &&
        (names?.has(profile.name) ?? true),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describe(profile: CompiledProfile): string {
  const toolsets = [...profile.allowedToolsets, ...profile.allowedTools];
  return [
    `* **${profile.name}**`,
    `  * **Description:** ${profile.description === '' ? '(none)' : profile.description.trim().replaceAll('\n', '\n    ')}`,
    `  * **Key Toolsets:** ${toolsets.length === 0 ? '(none)' : toolsets.join(', ')}`,
  ].join('\n');
}
