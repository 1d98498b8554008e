import { expect, it } from 'vitest';
import {
  CadreError,
  createEngine,
  createToolRegistry,
  defineIngestor,
  defineObserver,
  defineTool,
  type EngineOptions,
  type JsonObject,
  loadProfiles,
} from '../../src/index.ts';
import { profileFiles } from '../support/test-engine.ts';

/** The functions of the package as a program without types calls them. */
const untyped = {
  createEngine,
  createToolRegistry,
  defineIngestor,
  defineObserver,
  defineTool,
  loadProfiles,
} as unknown as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
const good = { profiles: { files: profileFiles('') }, store: 'memory' };

it.each<readonly [string, readonly unknown[], RegExp]>([
  ['createEngine', [], /^createEngine: the options must be an object, not undefined$/],
  [
    'createEngine',
    [{ profile: 'x' }],
    /^createEngine has no option 'profile'; there are: profiles, models.*; did you mean 'profiles'\?$/,
  ],
  ['createEngine', [{ ...good, limits: { maxTurn: 3 } }], /there is no limit 'maxTurn'; there are: turns, /],
  [
    'createEngine',
    [{ ...good, team: { maxparallel: 3 } }],
    /^createEngine: team has no option 'maxparallel'; there are: maxParallel; did you mean 'maxParallel'\?$/,
  ],
  ['createEngine', [{ ...good, observers: [{ name: 'x' }] }], /observer 'x' has no function observe\(view\)/],
  ['createEngine', [{ ...good, ingestors: [{ name: 'x' }] }], /ingestor 'x' has no function ingest\(payload, params, view\)/],
  ['createEngine', [{ ...good, functions: { plan: 3 } }], /^createEngine: functions\.plan must be a function, not 3$/],
  [
    'createEngine',
    [{ ...good, models: { m: 'gpt-5' } }],
    /model given as "m" is the text "gpt-5", but must be an AI SDK language model/,
  ],
  ['createEngine', [{ ...good, tools: 'files' }], /The tools must be a list, or an object with a tool under each name; got string/],
  ['defineTool', [], /^defineTool needs a definition \{ name, description, parameters, … \}, but got undefined/],
  ['defineTool', [{ name: 'x', description: 'y' }], /^Tool 'x': execute must be a function/],
  ['defineObserver', [], /^defineObserver needs a definition \{ name, observe\(view\) \}, but got undefined$/],
  ['defineObserver', [{ name: ' ', observe: () => [] }], /^defineObserver: name must be a text that is not empty$/],
  ['defineIngestor', [null], /^defineIngestor needs a definition \{ name, ingest\(payload, params, view\) \}, but got null$/],
  ['loadProfiles', [], /^loadProfiles: profiles must be a folder or a file, .*, not undefined$/],
  ['loadProfiles', [3], /^loadProfiles: profiles must be a folder or a file, .*, not 3$/],
  ['createToolRegistry', [], /The tools must be a list, or an object with a tool under each name; got undefined/],
])('F27: %s(%j) says what is wrong and what is allowed', async (name, args, message) => {
  const thrown: unknown = await Promise.try(() => untyped[name]?.(...args)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(CadreError);
  expect((thrown as CadreError).message).toMatch(message);
});

it('F27: models and tools that cannot be used do not compile', () => {
  const wrong: readonly EngineOptions[] = [
    // @ts-expect-error -- a model is an object of the AI SDK
    { profiles: 'x', models: { m: 'gpt-5' } },
    // @ts-expect-error -- a tool is no text
    { profiles: 'x', tools: ['read_file'] },
    // @ts-expect-error -- a tool has a function that does its work
    { profiles: 'x', tools: [{ name: 'x', description: 'y' }] },
    // @ts-expect-error -- the same, by name
    { profiles: 'x', tools: { x: { description: 'y' } } },
  ];
  const right: readonly EngineOptions[] = [
    { profiles: 'x', tools: { x: { description: 'y', execute: () => 'done' } } },
    { profiles: 'x', tools: { x: { inputSchema: { jsonSchema: {} }, execute: () => 'done' } } },
    { profiles: 'x', tools: [{ name: 'x', description: 'y', execute: (args: JsonObject) => args['a'] }] },
    { profiles: 'x', tools: [defineTool({ name: 'x', description: 'y', execute: () => 'done' })] },
  ];
  expect([wrong.length, right.length]).toEqual([4, 4]);
});
