import { closestName } from '../core/expression/closest-name.ts';
import { providerNames, splitModelName } from '../core/model/model-provider.ts';
import { nameHint, quote } from './wording.ts';

/** The hint for an LLM config or model that does not exist: what was probably meant, and what there is. */
export function configHint(name: string, usable: Iterable<string>): string {
  const split = splitModelName(name);
  if (split === undefined) return nameHint(name, usable, 'known LLM configs and models');
  const meant = closestName(split.provider.slice(0, 100), providerNames);
  const guess = meant === undefined ? '' : `did you mean ${quote(`${meant}/${split.model}`)}? `;
  return `${guess}providers: ${providerNames.join(', ')}`;
}
