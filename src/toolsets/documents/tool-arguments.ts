import { closestName } from '../../core/expression/closest-name.ts';
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { ArgumentCheck, ArgumentProblem } from '../../core/tool/argument-check.ts';

/** One parameter of a tool of this toolset; source of its JSON Schema and its check. */
export type Parameter = { readonly description: string; readonly required?: true } & (
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength: number; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'strings'; readonly maxItems: number }
);

/** The parameters of a tool by name. */
export type ToolParameters = Readonly<Record<string, Parameter>>;

/** Returns the JSON Schema of a tool's parameters. */
export function toParametersSchema(parameters: ToolParameters): JsonSchema {
  const entries = Object.entries(parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, toSchema(parameter)])),
    required: entries.filter(([, { required }]) => required === true).map(([name]) => name),
    additionalProperties: false,
  };
}

function toSchema(parameter: Parameter): JsonSchema {
  const { description } = parameter;
  switch (parameter.type) {
    case 'string': {
      const { minLength, maxLength, enum: allowed } = parameter;
      return {
        type: 'string',
        description,
        maxLength,
        ...(minLength === undefined ? {} : { minLength }),
        ...(allowed === undefined ? {} : { enum: allowed }),
      };
    }
    case 'integer':
      return { type: 'integer', description, minimum: parameter.minimum, maximum: parameter.maximum };
    case 'strings':
      return { type: 'array', description, minItems: 1, maxItems: parameter.maxItems, items: { type: 'string', minLength: 1 } };
  }
}

/** Checks a call's arguments against the parameters and reports all problems together. */
export function checkArguments(parameters: ToolParameters, args: JsonObject): ArgumentCheck {
  const errors: ArgumentProblem[] = [];
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(parameters, name)) continue;
    const meant = closestName(name, Object.keys(parameters));
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    errors.push({ path: `/${name}`, message: `unknown parameter; allowed: ${Object.keys(parameters).join(', ')}${hint}` });
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = args[name];
    if (value === undefined) {
      if (parameter.required === true) errors.push({ path: `/${name}`, message: 'is required' });
      continue;
    }
    const message = findProblem(parameter, value);
    if (message !== undefined) errors.push({ path: `/${name}`, message });
  }
  return errors.length === 0 ? { ok: true, args } : { ok: false, errors };
}

function findProblem(parameter: Parameter, value: unknown): string | undefined {
  switch (parameter.type) {
    case 'string': {
      if (typeof value !== 'string') return 'must be a text';
      if (parameter.enum !== undefined && !parameter.enum.includes(value)) return `must be one of: ${parameter.enum.join(', ')}`;
      if (value.length < (parameter.minLength ?? 0)) return 'must not be empty';
      if (value.length > parameter.maxLength) return `must have at most ${parameter.maxLength} characters`;
      return undefined;
    }
    case 'integer': {
      const { minimum, maximum } = parameter;
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      return fits ? undefined : `must be a whole number from ${minimum} to ${maximum}`;
    }
    case 'strings': {
      const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
      if (!isList) return 'must be a list of texts';
      return value.length < 1 || value.length > parameter.maxItems ? `must have 1 to ${parameter.maxItems} items` : undefined;
    }
  }
}
