/** One thing that was found. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** When it was published, in the provider's words. */
  readonly published?: string;
}

/** How recent results must be. */
export type Freshness = 'day' | 'week' | 'month' | 'year';

/** What a search asks for besides its words. A provider that has no such option leaves it out. */
export interface SearchOptions {
  readonly maxResults: number;
  /** A language code such as `en`. */
  readonly language?: string;
  /** A country code such as `us`. */
  readonly country?: string;
  readonly freshness?: Freshness;
}

/** A service that finds pages. Rejects when it cannot answer: the next provider is asked then. */
export interface SearchProvider {
  readonly name: string;
  search(query: string, options: SearchOptions, signal: AbortSignal): Promise<readonly SearchHit[]>;
}
