import { InvalidArgumentError } from 'commander';

/** Limits given on the command line, by name; the engine checks names and bounds. */
export type LimitsOption = Readonly<Record<string, number | string>>;

/** Parses `turns=20,tokens=100000`; the option may be repeated. */
export function parseLimits(text: string, before: LimitsOption = {}): LimitsOption {
  const limits: Record<string, number | string> = { ...before };
  for (const part of text.split(',')) {
    const [name = '', value = '', ...rest] = part.split('=').map((word) => word.trim());
    if (name === 'onUnknownCost' && value !== '' && rest.length === 0) {
      limits[name] = value;
      continue;
    }
    const number = value === '' ? Number.NaN : Number(value);
    if (name === '' || Number.isNaN(number) || rest.length > 0) {
      throw new InvalidArgumentError(`"${part}" is not of the form name=number, like turns=20,tokens=100000,costUsd=0.5.`);
    }
    limits[name] = number;
  }
  return limits;
}
