import type { Scope } from '../expression/roots.ts';
import type { IngestorView } from '../inbox/ingestor.ts';
import type { JsonValue } from '../json.ts';
import type { StateQuotes } from './quote-state.ts';
import type { ScopeWatch } from './watch-scope.ts';

/** Parts of an ingestor's view. */
interface ViewParts extends Pick<IngestorView, 'profile' | 'profiles' | 'source'> {
  readonly scope: Scope;
  /** Frames what templates quote. */
  readonly quotes: StateQuotes;
  /** Observes what the ingestor's own code reads. */
  readonly watch: ScopeWatch;
}

/**
 * Returns what an ingestor sees besides its payload. Untrusted text that a template quotes is framed where it is quoted; when the ingestor's own
 * code reads some, the caller must frame all that it returns.
 */
export function ingestorView({ profile, profiles, source, scope, quotes, watch }: ViewParts): IngestorView {
  return {
    profile,
    profiles,
    source,
    scope: watch.scope,
    render: (template, payload) => template.render(withPayload(scope, payload), quotes.quote),
  };
}

/** The scope with `payload` as one more root; the other roots stay getters and are read only when asked for. */
export function withPayload(scope: Scope, payload: JsonValue): Scope {
  const descriptors = { ...Object.getOwnPropertyDescriptors(scope), payload: { value: payload, enumerable: true } };
  return Object.defineProperties({}, descriptors) as Scope;
}
