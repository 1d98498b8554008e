import { InvalidArgumentError } from 'commander';

/** Values of a request given on the command line: texts by name; the engine checks the names. */
export type RequestOption = Readonly<Record<string, string>>;

/** Parses `tenant=acme`; the option may be repeated. The value is everything after the first `=`. */
export function parseRequest(text: string, before: RequestOption = {}): RequestOption {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`"${text}" is not of the form name=value, like tenant=acme.`);
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) };
}
