import type { JsonSchema } from '../json.ts';

/** What the answer of an agent must look like. */
export interface OutputFormat {
  readonly schema: JsonSchema;
  /** How often an answer that does not fit is given back to the model. */
  readonly repairs: number;
}

/** How often an answer that does not fit is given back when the profile does not say. */
export const defaultOutputRepairs = 2;

/** The id of the segment that tells a model what its answer must look like, in the log of a system prompt. */
export const outputSectionId = 'output_schema';

// Pure cache: keyed by a format, which never changes.
const sections = new WeakMap<OutputFormat, string>();

/** What a model is told of the form of its answer. */
export function outputSection(format: OutputFormat): string {
  const known = sections.get(format);
  if (known !== undefined) return known;
  const text = `## Your answer

Your last reply, when you have nothing more to do, is your answer. It must be one JSON value and nothing else: no words and no code fences around it. It must fit this JSON Schema:

${JSON.stringify(format.schema)}`;
  sections.set(format, text);
  return text;
}
