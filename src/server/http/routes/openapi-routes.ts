import type { JsonObject } from '../../../core/json.ts';
import { openapiDocument } from '../../openapi/openapi-document.ts';
import type { ServerApp } from '../server-parts.ts';

/** Adds the description of the API, built on the first request from the routes the app has by then. */
export function addOpenapiRoutes(app: ServerApp, { hasToken }: { readonly hasToken: boolean }): void {
  let document: JsonObject | undefined;
  app.get('/api/openapi.json', (context) => {
    const routes = new Set(app.routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`));
    document ??= openapiDocument((method, path) => routes.has(`${method} ${path}`), hasToken);
    return context.json(document);
  });
}
