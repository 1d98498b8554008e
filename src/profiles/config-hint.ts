import { closestName } from '../core/expression/closest-name.ts';
import { providerNames, splitModelName } from '../core/model/model-provider.ts';
import { nameHint, quote } from './wording.ts';

/** Returns the hint for an unknown LLM config or model: a similar name, and the known ones. */
export function configHint(name: string, usable: Iterable<string>): string {
  const split = splitModelName(name);
  if (split === undefined) return nameHint(name, usable, 'known LLM configs and models');
  const meant = closestName(split.provider.slice(0, 100), providerNames);
  const guess = meant === undefined ? '' : `did you mean ${quote(`${meant}/${split.model}`)}? `;
  return `${guess}providers: ${providerNames.join(', ')}`;
}
