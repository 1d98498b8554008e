/** Contents of the `team.yaml` in a profiles folder. */
export interface TeamFacts {
  readonly name: string;
  readonly description?: string;
  /** Profile of runs launched without one. */
  readonly defaultProfile?: string;
  /** LLM config used instead of every profile's own, unless a launch names one. */
  readonly llmConfig?: string;
  /** LLM config that generates the titles of its runs. */
  readonly titles?: { readonly llmConfig: string };
}
