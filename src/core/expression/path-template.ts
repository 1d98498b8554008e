import { type ParsedPath, readParsed, readPath } from './read-path.ts';

/** Values of the variables of a template. */
export type PathVariables = Readonly<Record<string, unknown>>;

/** Reads the path of a template with these values filled in. */
export type TemplateReader = (scope: unknown, variables: PathVariables) => unknown;

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const markedName = /^\0(\d+)\0$/;

/**
 * Returns a reader of a path with variables, such as `team.work_modules.{{ module_id }}`, that reads what `readPath` would with
 * the values written into it. A value is one name, or one index: null when one is missing or contains path syntax.
 *
 * Where each variable is a whole name, the template is parsed only once.
 */
export function pathTemplate(template: string): TemplateReader {
  const pieces = template.split(placeholder);
  const names = namesOf(template, pieces);
  if (names === undefined) return (scope, variables) => readText(scope, template, variables);
  return (scope, variables) => {
    const filled: string[] = [];
    for (const { text, variable } of names) {
      const name = variable === undefined ? text : nameOf(variable, variables);
      if (name === undefined) return null;
      filled.push(name);
    }
    return readParsed(scope, pathOf(filled));
  };
}

interface TemplateName {
  readonly text: string;
  readonly variable?: string;
}

/** Returns the names of a template without lists, or undefined when a variable is only a part of one. */
function namesOf(template: string, pieces: readonly string[]): readonly TemplateName[] | undefined {
  if (template === '' || /[[\]\0]/.test(template)) return undefined;
  // Marks hold no dots, as names of variables may.
  const marked = pieces.map((piece, index) => (index % 2 === 0 ? piece : `\0${index}\0`)).join('');
  const names = marked.split('.').map((text): TemplateName => {
    const [, index] = markedName.exec(text) ?? [];
    return index === undefined ? { text } : { text, variable: pieces[Number(index)] ?? '' };
  });
  return names.some(({ text, variable }) => variable === undefined && text.includes('\0')) ? undefined : names;
}

function pathOf([first = '', ...names]: readonly string[]): ParsedPath {
  return { first, rest: names.length === 0 ? [] : [{ kind: 'names', names }] };
}

function readText(scope: unknown, template: string, variables: PathVariables): unknown {
  let usable = true;
  const path = template.replace(placeholder, (_, variable: string) => {
    const name = nameOf(variable, variables);
    usable &&= name !== undefined;
    return name ?? '';
  });
  return usable ? readPath(scope, path) : null;
}

/** Returns a value as a name; undefined when it is missing or contains path syntax, so that it can name only one key. */
function nameOf(variable: string, variables: PathVariables): string | undefined {
  const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
  const name = typeof value === 'number' ? String(value) : value;
  return typeof name === 'string' && name !== '' && !/[.[\]]/.test(name) ? name : undefined;
}
