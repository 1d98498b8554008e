/** What a `team.yaml` says about the folder it lies in. */
export interface TeamFacts {
  readonly name: string;
  readonly description?: string;
  /** The profile that runs begin with when nobody names one. */
  readonly defaultProfile?: string;
  /** Who words the titles of its runs. */
  readonly titles?: { readonly llmConfig: string };
}
