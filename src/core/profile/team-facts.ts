/** Contents of the `team.yaml` in a profiles folder. */
export interface TeamFacts {
  readonly name: string;
  readonly description?: string;
  /** Profile of runs launched without one. */
  readonly defaultProfile?: string;
  /** LLM config that generates the titles of its runs. */
  readonly titles?: { readonly llmConfig: string };
}
