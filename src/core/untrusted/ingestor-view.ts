import type { Scope } from '../expression/roots.ts';
import type { IngestorView } from '../inbox/ingestor.ts';
import type { JsonValue } from '../json.ts';
import type { StateQuotes } from './quote-state.ts';
import type { ScopeWatch } from './watch-scope.ts';

/** Parts of an ingestor's view; the functions are called when the ingestor reads something. */
interface ViewParts extends Pick<IngestorView, 'profile' | 'profiles' | 'source'> {
  readonly readScope: () => Scope;
  /** Begins to frame what templates quote. */
  readonly quote: () => StateQuotes;
}

/** What an ingestor sees besides its payload, and what it has read of that. */
export interface ObservedView extends IngestorView {
  /** Present once it has read anything. */
  quotes: StateQuotes | undefined;
  /** Present once its own code has read from the scope. */
  watch: ScopeWatch | undefined;
}

/**
 * Returns the view of an ingestor. Untrusted text that a template quotes is framed where it is quoted; when the ingestor's own code reads some, the
 * caller must frame all that it returns.
 */
export function ingestorView({ profile, profiles, source, readScope, quote }: ViewParts): ObservedView {
  const view: ObservedView = {
    profile,
    profiles,
    source,
    quotes: undefined,
    watch: undefined,
    get scope() {
      view.quotes ??= quote();
      view.watch ??= view.quotes.watch(readScope());
      return view.watch.scope;
    },
    render: (template, payload) => {
      view.quotes ??= quote();
      return template.render(withPayload(readScope(), payload), view.quotes.quote);
    },
  };
  return view;
}

/** The scope with `payload` as one more root; the other roots stay getters and are read only when asked for. */
export function withPayload(scope: Scope, payload: JsonValue): Scope {
  const descriptors = { ...Object.getOwnPropertyDescriptors(scope), payload: { value: payload, enumerable: true } };
  return Object.defineProperties({}, descriptors) as Scope;
}
