import { CadreError } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import { defineObserver } from '../observers/define-observer.ts';
import { checkArgument, checkOptions, shownValue } from './check-arguments.ts';
import type { EngineOptions } from './engine-options.ts';
import { limitsOf } from './limit-options.ts';
import { engineOptions } from './public-options.ts';

/** Fails with OPTION_INVALID when an option of `createEngine` is unknown or invalid. */
export function checkEngineOptions(options: EngineOptions): void {
  checkArgument('createEngine: the options', options, 'object');
  checkOptions('createEngine', options, engineOptions);
  const { profiles, titles, limits, team, observers, functions } = options;
  checkProfileInput('createEngine: profiles', profiles);
  if (limits !== undefined) limitsOf(limits);
  if (team !== undefined && team !== false) checkOptions('createEngine: team', team, { maxParallel: 'count' });
  for (const observer of observers ?? []) defineObserver(observer);
  for (const [name, fn] of Object.entries(functions ?? {})) checkArgument(`createEngine: functions.${name}`, fn, 'function');
  if (titles !== undefined) checkArgument('createEngine: titles.llmConfig', titles.llmConfig, 'name');
}

/**
 * Fails with OPTION_INVALID when profiles cannot be loaded from a value.
 *
 * @param place the function and the argument, for people: `loadProfiles: profiles`
 */
export function checkProfileInput(place: string, profiles: unknown): void {
  const isPath = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
  const isFile = (value: unknown): boolean =>
    isJsonObject(value) && typeof value['path'] === 'string' && typeof value['text'] === 'string';
  if (isPath(profiles) || (Array.isArray(profiles) && profiles.length > 0 && profiles.every(isPath))) return;
  if (isJsonObject(profiles) && Array.isArray(profiles['files']) && profiles['files'].every(isFile)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `${place} must be a folder or a file, a list of them, { files: [{ path, text }] }, or what loadProfiles returned, not ${shownValue(profiles)}`,
  );
}
