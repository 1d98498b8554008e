/** One search result. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** Date of publication, in the provider's words. */
  readonly published?: string;
}

/** Maximum age of results. */
export type Freshness = 'day' | 'week' | 'month' | 'year';

/** Options of a search. A provider ignores options it does not support. */
export interface SearchOptions {
  readonly maxResults: number;
  /** A language code such as `en`. */
  readonly language?: string;
  /** A country code such as `us`. */
  readonly country?: string;
  readonly freshness?: Freshness;
}

/** A service that finds pages. Rejects when it cannot answer; the next provider is asked then. */
export interface SearchProvider {
  readonly name: string;
  search(query: string, options: SearchOptions, signal: AbortSignal): Promise<readonly SearchHit[]>;
}
