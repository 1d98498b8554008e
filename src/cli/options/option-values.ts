import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { statSync } from 'node:fs';

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

/** Parses an option that names an existing folder. */
export function existingFolder(value: string): string {
  const folder = path.resolve(value);
  if (folder === path.parse(folder).root)
    throw new InvalidArgumentError('this is the whole disk; name the folder for tools to work in');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new InvalidArgumentError(`there is no folder ${folder}; create it first, or leave the option out`);
}

const ageUnits: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses an age such as `12h`, `30d` or `8w`; returns milliseconds. */
export function parseAge(text: string): number {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([mhdw])$/.exec(text.trim());
  if (match === null)
    throw new InvalidArgumentError(`"${text}" is not an age; write a number and m, h, d or w, like 12h, 30d or 8w.`);
  return Number(match[1]) * (ageUnits[match[2] ?? ''] ?? 0);
}

/** Values of a request given on the command line: texts by name; the engine checks the names. */
export type RequestOption = Readonly<Record<string, string>>;

/** Parses `tenant=acme`; the option may be repeated. The value is everything after the first `=`. */
export function parseRequest(text: string, before: RequestOption = {}): RequestOption {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`"${text}" is not of the form name=value, like tenant=acme.`);
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) };
}
