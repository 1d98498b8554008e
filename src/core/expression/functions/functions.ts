import type { ExpressionFunction } from './function.ts';
import { listFunctions } from './list-functions.ts';
import { regexFunction } from './regex-function.ts';
import { textFunctions } from './text-functions.ts';
import { valueFunctions } from './value-functions.ts';

/** Every function of the language by name. */
export const functions: ReadonlyMap<string, ExpressionFunction> = new Map(
  [...valueFunctions, ...listFunctions, ...textFunctions, regexFunction].map((each) => [each.name, each]),
);
