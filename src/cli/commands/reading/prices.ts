import path from 'node:path';
import { lstatSync } from 'node:fs';
import { CadreError } from '../../../core/error.ts';
import { checkOutput, writeOutput } from '../../../files/output-file.ts';
import { type ModelPrices, findPrice, type ModelPrice, type TokenPrice } from '../../../core/model/model-price.ts';
import { splitModelName } from '../../../core/model/model-provider.ts';
import { bundledProfiles } from '../../../profiles/files/bundled-teams.ts';
import { loadProfiles } from '../../../profiles/load-profiles.ts';
import { shippedPrices } from '../../../profiles/files/shipped-prices.ts';
import type { ExitCode } from '../../exit-code.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { fetchPrices, defaultPriceList } from '../../options/price-list.ts';
import { folderText, profilesFolder } from '../../options/profiles-folder.ts';
import { openTerminal } from '../../terminal/terminal.ts';

/** Options of `prices`. */
export interface PricesOptions {
  readonly profiles?: string;
  readonly update?: boolean;
  readonly from?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/**
 * Prints model prices as a team sees them: its own price files, then those shipped with Cadre; of all models, one model, or a provider.
 * With `--update`, fetches a price list and writes it into the team's folder.
 */
export async function pricesCommand(names: readonly string[], options: PricesOptions): Promise<ExitCode> {
  const terminal = openTerminal();
  if (options.update === true) {
    const file = await update(names, options);
    terminal.print(`${file}\n`);
    return 0;
  }
  for (const key of ['from', 'out', 'force'] as const)
    if (options[key] !== undefined) throw new CadreError('OPTION_INVALID', `--${key} needs --update`);
  const folder = profilesFolder(options.profiles);
  const { prices } = await loadProfiles(folder, { before: [shippedPrices()] });
  const shown = selectPrices(prices, names);
  if (options.json === true) terminal.print(`${jsonText(Object.fromEntries(shown), 2)}\n`);
  else {
    for (const [model, price] of shown) terminal.print(`${model}: { ${priceText(price)} }\n`);
    terminal.tell(`US dollars per million tokens, in ${folderText(folder)}\n`);
  }
  return 0;
}

function selectPrices(prices: ModelPrices, names: readonly string[]): ModelPrices {
  if (names.length === 0) return prices;
  const shown = new Map(
    names.flatMap((name) => {
      const model = splitModelName(name);
      if (model === undefined) return [...prices].filter(([each]) => each.startsWith(`${name}/`));
      const price = findPrice(prices, model);
      return price === undefined ? [] : [[name, price] as const];
    }),
  );
  if (shown.size > 0) return shown;
  const known = [...new Set([...prices.keys()].map((name) => name.split('/', 1)[0]))].join(', ');
  throw new CadreError('OPTION_INVALID', `no price is known for ${names.join(', ')}; providers with prices: ${known}`);
}

/** Returns the providers with shipped prices, without those that run on the user's machine. */
async function defaultProviders(): Promise<readonly string[]> {
  const { prices } = await loadProfiles({ files: [shippedPrices()] });
  const named = [...prices.keys()].flatMap((name) => (name.endsWith('/*') ? [] : (name.split('/', 1)[0] ?? [])));
  return [...new Set(named)];
}

async function update(
  providers: readonly string[],
  { profiles, from = defaultPriceList, out, force }: PricesOptions,
): Promise<string> {
  const folder = out === undefined ? profilesFolder(profiles) : undefined;
  if (folder?.startsWith(bundledProfiles) === true)
    throw new CadreError(
      'OPTION_INVALID',
      'this would change a team that comes with Cadre: name your own team with --profiles, or a file with --out',
    );
  const file = path.resolve(out ?? path.join(folder ?? '', 'prices.yaml'));
  const options = { namedBy: out === undefined ? 'project' : 'user', makesFolders: false } as const;
  await checkOutput(file, options);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined && force !== true)
    throw new CadreError('OPTION_INVALID', `${path.relative('', file)} already exists; --force replaces it`);
  const prices = await fetchPrices(from, providers.length > 0 ? providers : await defaultProviders());
  await writeOutput(file, priceFileText(prices, { from, day: new Date().toISOString().slice(0, 10) }), options);
  return path.relative('', file);
}

/** Renders a price file, one model per line; `from` and `day` (YYYY-MM-DD) are the source and date of the prices. */
function priceFileText(prices: ModelPrices, { from, day }: { readonly from: string; readonly day: string }): string {
  const lines = [...prices]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([model, price]) => `  ${keyText(model)}: { ${priceText(price)} }`);
  return [
    `# What models cost, in US dollars per million tokens, from ${from}; written by \`cadre prices --update\`.`,
    'type: prices',
    `as_of: ${day}`,
    'prices:',
    ...lines,
    '',
  ].join('\n');
}

/** Renders a price in the form of a price file. */
function priceText(price: ModelPrice): string {
  const { above } = price;
  const longer = above === undefined ? '' : `, above: { tokens: ${above.tokens}, ${tokenPriceText(above)} }`;
  return `${tokenPriceText(price)}${longer}`;
}

function tokenPriceText({ input, output, cacheRead, cacheWrite, reasoning }: TokenPrice): string {
  return Object.entries({ input, output, cache_read: cacheRead, cache_write: cacheWrite, reasoning })
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
    .join(', ');
}

/** Quotes a name that YAML would read as another type. */
function keyText(model: string): string {
  return /^[A-Za-z][\w./*-]*$/.test(model) ? model : JSON.stringify(model);
}
