import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import type { MapNode, ScalarNode, SourceNode } from '../../yaml/source-node.ts';

/** Keys whose values are credentials more often than not. */
const privateKeys: ReadonlySet<string> = new Set(['headers', 'provider_options']);

/** Keys whose values go into the environment of another process: credentials, and ordinary settings. */
const processKeys: ReadonlySet<string> = new Set(['env', 'environment']);

/** Names of variables and keys that say what they hold. */
const secretName = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|DSN|WEBHOOK/i;

/** Words, numbers and paths: settings that texts are full of. */
const ordinary = /^(?:.{0,7}|[a-z_-]+|[\d.]+|\.{0,2}[/\\].*|[A-Z]:\\.*|https?:.*)$/;

type Place = 'private' | 'process' | 'other';

/**
 * What of a tree with its environment values in place must never be recorded: values below keys that hold credentials, those of
 * variables whose names say so, and passwords in addresses. The name of a model or the address of a server is no secret.
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

/** A setting that code gave and that must never be recorded: where it stands, and its value. */
export interface SecretSetting {
  readonly path: readonly string[];
  readonly value: string;
}

/**
 * What of settings given in code must never be recorded, by the same rules: no variable says where a value is from, so its key and its
 * place do, and `isKnown`, which is asked whether a text holds a secret.
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

/** The whole value, and the credential in `Bearer …`. */
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
    // No escapes after all: the password stands there as it is.
  }
}
