import type { JsonSchema } from '../json.ts';

/** Required form of an agent's answer. */
export interface OutputFormat {
  readonly schema: JsonSchema;
  /** Number of times that an invalid answer is returned to the model. */
  readonly repairs: number;
}

/** Repairs of an invalid answer, unless the profile sets a number. */
export const defaultOutputRepairs = 2;

/** Id of the segment that describes the answer's form, in the log of a system prompt. */
export const outputSectionId = 'output_schema';

// Pure cache: keyed by a format, which never changes.
const sections = new WeakMap<OutputFormat, string>();

/** Returns the instructions for the form of an agent's answer. */
export function outputSection(format: OutputFormat): string {
  const known = sections.get(format);
  if (known !== undefined) return known;
  const text = `## Your answer

Your last reply, when you have nothing more to do, is your answer. It must be one JSON value and nothing else: no words and no code fences around it. It must fit this JSON Schema:

${JSON.stringify(format.schema)}`;
  sections.set(format, text);
  return text;
}
