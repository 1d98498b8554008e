import { launchable } from '../../../engine/launch/usual-profile.ts';
import { engineVersion } from '../../../engine/version.ts';
import type { ServerApp, ServerParts } from '../server-parts.ts';

/** Adds `/api/info`: version, permissions and the profiles that runs can be launched with. */
export function addInfoRoutes(app: ServerApp, { engine, readOnly, defaultProfile, changedProfiles }: ServerParts): void {
  const profiles = launchable(engine.profiles.profiles).map(({ name, type, description }) => ({ name, type, description }));
  app.get('/api/info', (context) =>
    context.json({
      name: 'cadre',
      version: engineVersion,
      location: engine.location,
      canControl: !readOnly,
      profiles,
      defaultProfile,
      changedProfiles: changedProfiles(),
    }),
  );
}
