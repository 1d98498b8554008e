import { compileTemplate } from '../../src/core/expression/template.ts';
import type { Scope } from '../../src/core/expression/expression.ts';
import type { Ingestor, IngestorView } from '../../src/core/inbox/ingestor.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { contentText, type Content } from '../../src/core/prompt/message.ts';
import type { CompiledProfile } from '../../src/core/profile/profile.ts';
import { withPayload } from '../../src/core/untrusted/ingestor-view.ts';
import { plainProfile } from '../support/plain-profile.ts';
import { createIngestorRegistry } from '../../src/ingestors/registry.ts';

/** A compiled profile with what ingestors read of one. */
export function profileWith(change: Partial<CompiledProfile> = {}, texts: Readonly<Record<string, string>> = {}): CompiledProfile {
  const textDefinitions = new Map(
    Object.entries(texts).map(([key, text]) => {
      const compiled = compileTemplate(text);
      if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
      return [key, compiled.value] as const;
    }),
  );
  return plainProfile('Tester', { llmConfigRef: 'offline', textDefinitions, ...change });
}

/** A view as an ingestor gets it. */
export function viewWith(
  change: { readonly profile?: CompiledProfile; readonly profiles?: readonly CompiledProfile[]; readonly scope?: Scope } = {},
): IngestorView {
  const profiles = new Map((change.profiles ?? []).map((profile) => [profile.name, profile]));
  const { profile = profileWith(), scope = {} } = change;
  return { profile, profiles, scope, source: 'TEST', render: (template, payload) => template.render(withPayload(scope, payload)) };
}

/** Runs a built-in ingestor by name. */
export function ingest(name: string, payload: JsonValue, params: JsonObject = {}, view: IngestorView = viewWith()): Content {
  const ingestor: Ingestor | undefined = createIngestorRegistry().get(name);
  if (ingestor === undefined) throw new Error(`there is no ingestor '${name}'`);
  return ingestor.ingest(payload, params, view);
}

/** Runs a built-in ingestor by name, for its text. */
export function ingestText(name: string, payload: JsonValue, params: JsonObject = {}, view: IngestorView = viewWith()): string {
  return contentText(ingest(name, payload, params, view));
}
