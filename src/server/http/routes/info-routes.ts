import type { JsonObject } from '../../../core/json.ts';
import { openapiDocument } from '../../openapi/openapi-document.ts';
import { launchable } from '../../../engine/launch/usual-profile.ts';
import { engineVersion } from '../../../engine/version.ts';
import { personOf, type Routes } from '../routes.ts';
import type { ServerApp, ServerParts } from '../server-parts.ts';

/** Adds `/api/info`: version, permissions, and the profiles and LLM configs that runs can be launched with now. */
export function addInfoRoutes(
  routes: Routes,
  { engine, readOnly, defaultProfile, changedProfiles, profileProblem, tests }: ServerParts,
): void {
  routes.get('/api/info', (context) => {
    const { profiles, llmConfigs } = engine.profiles;
    return context.json({
      name: 'cadre',
      version: engineVersion,
      location: engine.location,
      canControl: !readOnly,
      you: personOf(context),
      canTest: typeof tests !== 'string',
      profiles: launchable(profiles).map(({ name, type, description }) => ({ name, type, description })),
      llmConfigs: [...llmConfigs.keys()],
      defaultProfile: defaultProfile(),
      changedProfiles: changedProfiles(),
      profileProblem: profileProblem(),
    });
  });
}

/** Adds the description of the API, built on the first request from the routes the app has by then. */
export function addOpenapiRoutes(routes: Routes, { app, hasToken }: { readonly app: ServerApp; readonly hasToken: boolean }): void {
  let document: JsonObject | undefined;
  routes.get('/api/openapi.json', (context) => {
    const known = new Set(app.routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`));
    document ??= openapiDocument((method, path) => known.has(`${method} ${path}`), hasToken);
    return context.json(document);
  });
}
