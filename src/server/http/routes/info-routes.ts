import type { JsonObject } from '../../../core/json.ts';
import { openapiDocument } from '../../openapi/openapi-document.ts';
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

/** Adds the description of the API, built on the first request from the routes the app has by then. */
export function addOpenapiRoutes(app: ServerApp, { hasToken }: { readonly hasToken: boolean }): void {
  let document: JsonObject | undefined;
  app.get('/api/openapi.json', (context) => {
    const routes = new Set(app.routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`));
    document ??= openapiDocument((method, path) => routes.has(`${method} ${path}`), hasToken);
    return context.json(document);
  });
}
