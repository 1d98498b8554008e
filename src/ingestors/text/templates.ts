import { compileTemplate, type Template } from '../../core/expression/template.ts';

/** Most templates kept compiled; a profile has a handful. */
const maxKept = 500;
// Pure cache: keyed by the text of a template.
const compiled = new Map<string, Template>();

/** Compiles a template from an ingestor's parameters, once per text. Throws when it cannot be compiled. */
export function templateOf(source: string): Template {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const result = compileTemplate(source);
  if (!result.ok) throw new Error(`content_template: ${result.problems.map((problem) => problem.message).join('; ')}`);
  if (compiled.size >= maxKept) compiled.clear();
  compiled.set(source, result.value);
  return result.value;
}
