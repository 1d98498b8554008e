import type { ModelRequest, OfferedTool } from '../../core/model/model.ts';
import { plainTextOf } from '../../core/recording/plain-text.ts';
import { type RecordedPrompt, toRecordedPrompt } from '../../core/recording/recorded-prompt.ts';
import type { RecordedCall, Recording } from '../../core/recording/recording.ts';

/** A model call in the form of a recording, with the tools it offers. */
export interface AskedPrompt {
  readonly now: RecordedPrompt;
  readonly tools: readonly OfferedTool[];
}

/** Converts a model call to the form that recorded ones have. */
export function askedPrompt({ messages, tools }: ModelRequest, runId: string): AskedPrompt {
  return { now: toRecordedPrompt(messages, { tools: '', choice: '' }, plainTextOf(runId)), tools };
}

/** Describes the first difference between a model call and a recorded one; undefined when they are the same. */
export function promptDifference(recording: Recording, { prompt }: RecordedCall, { now, tools }: AskedPrompt): string | undefined {
  if (now.system !== prompt.system) return `the system prompt ${firstChange(prompt.system, now.system)}`;
  const length = Math.max(now.messages.length, prompt.messages.length);
  for (let index = 0; index < length; index += 1) {
    const [recorded, asked] = [prompt.messages[index], now.messages[index]];
    if (recorded === undefined)
      return `message ${index + 1} (${asked?.role ?? ''}) was not there: ${JSON.stringify(asked).slice(0, 200)}`;
    if (asked === undefined) return `message ${index + 1} (${recorded.role}) is missing: ${JSON.stringify(recorded).slice(0, 200)}`;
    const [before, after] = [JSON.stringify(recorded), JSON.stringify(asked)];
    if (before === after) continue;
    const isText = recorded.role === 'user' && asked.role === 'user' && recorded.text !== asked.text;
    return `message ${index + 1} (${asked.role}) ${isText ? firstChange(recorded.text, asked.text) : firstChange(before, after)}`;
  }
  return toolDifference(toolsOf(recording, prompt.tools), tools);
}

function toolsOf(recording: Recording, id: string): readonly OfferedTool[] {
  for (const entry of recording.entries) if (entry.kind === 'tools' && entry.id === id) return entry.tools;
  return [];
}

function toolDifference(recorded: readonly OfferedTool[], asked: readonly OfferedTool[]): string | undefined {
  const before = new Map(recorded.map((tool) => [tool.name, tool]));
  const after = new Map(asked.map((tool) => [tool.name, tool]));
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  if (added.length > 0) return `the tool ${added.join(', ')} was not offered`;
  if (removed.length > 0) return `the tool ${removed.join(', ')} is not offered any more`;
  for (const [name, tool] of after) {
    const [was, is] = [JSON.stringify(before.get(name)), JSON.stringify(tool)];
    if (was !== is) return `the tool ${name} ${firstChange(was, is)}`;
  }
  return undefined;
}

/** Describes the first difference between two texts, with what follows in each. */
function firstChange(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 30);
  const shown = (text: string): string => `"${text.slice(from, at + 90)}"`;
  return `differs from character ${at} on: recorded ${shown(before)}, now ${shown(after)}`;
}
