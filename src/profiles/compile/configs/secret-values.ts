import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import type { MapNode, ScalarNode, SourceNode } from '../../yaml/source-node.ts';

/** Keys whose values are usually credentials. */
const privateKeys: ReadonlySet<string> = new Set(['headers', 'provider_options']);

/** Keys that set another process's environment: a mix of credentials and ordinary settings. */
const processKeys: ReadonlySet<string> = new Set(['env', 'environment']);

/** Matches names of variables and keys that suggest a secret. */
const secretName = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|DSN|WEBHOOK/i;

/** Matches words, numbers and paths: ordinary settings, common in texts. */
const ordinary = /^(?:.{0,7}|[a-z_-]+|[\d.]+|\.{0,2}[/\\].*|[A-Z]:\\.*|https?:.*)$/;

type Place = 'private' | 'process' | 'other';

/**
 * Returns the values of a tree that must never be recorded: values from the environment below keys that hold credentials, values
 * of variables with secret-sounding names, and passwords in URLs. Model names and server addresses are not secret.
 */
export function secretValues(root: MapNode): readonly string[] {
  const found = new Set<string>();
  const walk = (node: SourceNode, place: Place): void => {
    switch (node.kind) {
      case 'map':
        for (const [key, { value }] of node.entries) walk(value, placeBelow(key, place));
        break;
      case 'list':
        for (const item of node.items) walk(item, place);
        break;
      case 'scalar':
        if (node.variable === undefined) break;
        if (isSecret(node, node.variable, place)) addValue(found, node.written);
        else addPassword(found, node.written);
        break;
    }
  };
  walk(root, 'other');
  return [...found];
}

/** Setting given in code that must never be recorded, with its path. */
export interface SecretSetting {
  readonly path: readonly string[];
  readonly value: string;
}

/**
 * Returns the settings given in code that must never be recorded, by the same rules. No variable name is known, so the key, the
 * place and `isKnown` (true when a text contains a known secret) decide.
 */
export function secretSettings(settings: JsonObject, isKnown: (text: string) => boolean): readonly SecretSetting[] {
  const found: SecretSetting[] = [];
  const walk = (value: JsonValue | undefined, place: Place, path: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of (value as readonly JsonValue[]).entries()) walk(item, place, [...path, String(index)]);
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) walk(item, placeBelow(key, place), [...path, key]);
    } else if (typeof value === 'string' && value !== '') {
      const isSecretPlace = place === 'private' || (place === 'process' && !ordinary.test(value));
      if (isSecretPlace || hasPassword(value) || isKnown(value)) found.push({ path, value });
    }
  };
  walk(settings, 'other', []);
  return found;
}

function hasPassword(value: string): boolean {
  return (URL.parse(value)?.password ?? '') !== '';
}

function placeBelow(key: string, place: Place): Place {
  if (place === 'private' || privateKeys.has(key) || secretName.test(key)) return 'private';
  return processKeys.has(key) ? 'process' : place;
}

function isSecret({ written }: ScalarNode, variable: string, place: Place): boolean {
  return place === 'private' || secretName.test(variable) || (place === 'process' && !ordinary.test(written));
}

/** Adds the whole value, and the credential in `Bearer …`. */
function addValue(found: Set<string>, value: string): void {
  found.add(value);
  const credential = /^(?:Bearer|Basic|Token)\s+(\S+)$/i.exec(value)?.[1];
  if (credential !== undefined) found.add(credential);
}

function addPassword(found: Set<string>, value: string): void {
  const password = URL.parse(value)?.password ?? '';
  if (password === '') return;
  found.add(password);
  try {
    found.add(decodeURIComponent(password));
  } catch {
    // Not percent-encoded: the password is used as it is.
  }
}
