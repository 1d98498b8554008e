import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import { createEngine, type Engine, type EngineOptions, type LaunchOptions, type Run, type TurnRecord } from '../../src/index.ts';
import type { SubContext } from '../../src/core/state/sub-context.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';

/** A scripted model that keeps what it was asked. */
export type Model = ReturnType<typeof scriptedModel>;

/** An engine of profiles that stand in the test: one YAML text per file. */
export interface ScenarioOptions extends Omit<EngineOptions, 'profiles'> {
  readonly yaml: readonly string[];
  readonly input?: unknown;
  readonly profile?: string;
  readonly launch?: LaunchOptions;
}

/** Opens an engine over a memory journal (unless `store` says otherwise), closed after the test. */
export async function openEngine({
  yaml,
  input: _input,
  profile: _profile,
  launch: _launch,
  ...options
}: ScenarioOptions): Promise<Engine> {
  const files = yaml.map((text, index) => ({ path: `${folderOf(text)}/${nameOf(text) ?? index}.yaml`, text }));
  const engine = await createEngine({ store: 'memory', env: {}, random: () => 0, ...options, profiles: { files } });
  onTestFinished(async () => await engine.close());
  return engine;
}

/** Launches the first profile (or `profile`) with an input and waits until nothing runs any more. */
export async function play(options: ScenarioOptions): Promise<Run> {
  const engine = await openEngine(options);
  const profile = options.profile ?? nameOf(options.yaml[0] ?? '') ?? '';
  const run = await engine.launch({ profile, input: options.input ?? 'Go.' }, options.launch);
  await run.settled();
  return run;
}

/** Waits until something holds; fails when it does not come to that soon. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 5_000; round += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`it never came to this: ${holds.toString()}`);
}

/** A path for a SQLite journal in a fresh folder, removed after the test. */
export async function storePath(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-scenario-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'journal.db');
}

/** A reply of words. */
export function say(text: string): ScriptedReply {
  return { text };
}

/** A reply that calls one tool. */
export function call(name: string, args: JsonObject = {}, text = ''): ScriptedReply {
  return { text, toolCalls: [{ name, args }] };
}

/** A model that gives these replies in turn. */
export function speaks(...replies: readonly (ScriptedReply | string)[]): Model {
  return scriptedModel(replies.map((reply) => (typeof reply === 'string' ? say(reply) : reply)));
}

/** The system prompt of a request. */
export function systemOf(request: ScriptedRequest | undefined): string {
  return (request?.prompt ?? []).flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
}

/** The messages of a request as `role: text` lines, without the system prompt. */
export function messagesOf(request: ScriptedRequest | undefined): readonly string[] {
  return (request?.prompt ?? []).flatMap((message) => (message.role === 'system' ? [] : [`${message.role}: ${wordsOf(message)}`]));
}

/** All of a request's messages as one text. */
export function promptOf(request: ScriptedRequest | undefined): string {
  return messagesOf(request).join('\n');
}

/** The texts of one message: words, results, and `(calls name)`. */
export function wordsOf(message: LanguageModelV4Message): string {
  if (message.role === 'system') return message.content;
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'tool-call') return `(calls ${part.toolName})`;
      if (part.type === 'tool-result') return 'value' in part.output ? textOf(part.output.value) : '';
      return `[${part.type}]`;
    })
    .join('');
}

/** The names of the tools a request offered, in order. */
export function toolsOf(request: ScriptedRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map((tool) => tool.name);
}

/** The records of one profile's turns, oldest first. */
export function turnsOf(run: Run, profile: string): readonly TurnRecord[] {
  return run.turns().filter((turn) => turn.profile === profile);
}

/** The agents of one profile, in the order they started. */
export function agentsOf(run: Run, profile: string): readonly SubContext[] {
  return [...run.state.agents.values()].filter((agent) => agent.meta.profile === profile);
}

/** The first agent of a profile. */
export function agentOf(run: Run, profile: string): SubContext {
  const [agent] = agentsOf(run, profile);
  if (agent === undefined) throw new Error(`no agent of profile ${profile}`);
  return agent;
}

/** The result of the first call of a tool, as the model reads it. */
export function resultOf(run: Run, tool: string, index = 0): string {
  const calls = run.turns().flatMap((turn) => turn.toolInteractions.filter((interaction) => interaction.name === tool));
  return textOf(calls[index]?.content);
}

/** The result of a call of a tool, as data. */
export function dataOf(run: Run, tool: string, index = 0): Record<string, unknown> {
  return JSON.parse(resultOf(run, tool, index)) as Record<string, unknown>;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}

function nameOf(text: string): string | undefined {
  return /^\s*(?:name|protocol_name):\s*(\S+)/m.exec(text)?.[1];
}

function folderOf(text: string): string {
  if (/^\s*protocol_name:/m.test(text)) return 'handover_protocols';
  if (/^\s*type:\s*toolset/m.test(text)) return 'toolsets';
  return /^\s*type:\s*llm_config/m.test(text) ? 'llm_configs' : 'profiles';
}
