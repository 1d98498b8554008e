import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { contentText, type PromptMessage } from '../../src/core/prompt/message.ts';
import { createEngine, type Engine, type EngineOptions, type Journal } from '../../src/index.ts';
import type { ScriptedRepliesModel } from '../../src/models/scripted/scripted-replies.ts';
import {
  type ScriptedReply,
  type ScriptedRequest,
  countingIds,
  createMemoryJournal,
  manualClock,
  scriptedModel,
} from '../../src/testing/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A reply as agents of this system give it: JSON with actions. */
export function act(tool: string, args: JsonObject, reasoning = ''): ScriptedReply {
  return acts([{ tool, args }], reasoning);
}

/** A reply with several actions. */
export function acts(actions: readonly { readonly tool: string; readonly args: JsonObject }[], reasoning = ''): ScriptedReply {
  return { text: JSON.stringify({ analysis: '', reasoning, actions }) };
}

/** A reply in words. */
export function answer(text: string): ScriptedReply {
  return { text: JSON.stringify({ analysis: '', reasoning: '', actions: [], answer: text }) };
}

/** An engine over the shipped profiles, and what a test wants to look at. */
export interface AngesTeam {
  readonly engine: Engine;
  readonly model: ScriptedRepliesModel;
  readonly journal: Journal;
  readonly workspace: string;
}

/** What each kind of agent says, reply by reply; the name is a word of its role. */
export type Lines = Readonly<Record<string, readonly ScriptedReply[]>>;

/** Which kind of agent asks, by a word that its role begins with; the summariser is told otherwise. */
const kinds: Readonly<Record<string, string>> = {
  default_agent: '# You work at a shell for a person',
  task_executor: '# You carry out one task',
  task_analyzer: '# You analyse a task',
  orchestrator: '# You see a task through',
  summary: 'Write the summary that will stand',
};

function speaking(lines: Lines): ScriptedRepliesModel {
  const left = Object.fromEntries(Object.entries(lines).map(([kind, replies]) => [kind, [...replies]]));
  return scriptedModel((request: ScriptedRequest) => {
    const kind = Object.keys(kinds).find((each) => systemOf(request).includes(kinds[each] ?? ''));
    return left[kind ?? '']?.shift() ?? { text: `(${kind ?? 'somebody'} has nothing more to say)` };
  });
}

/** The team on files of its own, with a model that says these lines; commands run without a sandbox, so that they run anywhere. */
export async function angesTeam(
  lines: Lines,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<EngineOptions> = {},
): Promise<AngesTeam> {
  const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-anges-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), content);
  }
  const model = speaking(lines);
  const journal = createMemoryJournal();
  const shell = { kind: 'shell', settings: { sandbox: false } };
  const engine = await createEngine({
    profiles: path.join(root, 'agent_profiles/anges'),
    env: { CADRE_MODEL: 'm' },
    models: { m: model },
    toolsets: { shell, long_shell: shell },
    clock: manualClock(),
    ids: countingIds(),
    random: () => 0.5,
    store: journal,
    workspace,
    ...options,
  });
  onTestFinished(async () => {
    await engine.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  return { engine, model, journal, workspace };
}

/** The requests of agents, without those of the summariser. */
export function asked({ requests }: ScriptedRepliesModel): readonly ScriptedRequest[] {
  return requests.filter((request) => !systemOf(request).includes(kinds['summary'] ?? ''));
}

/** The system text of a request. */
export function systemOf(request: ScriptedRequest): string {
  const [first] = request.prompt as readonly PromptMessage[];
  return first?.role === 'system' ? first.content : '';
}

/** The stream of events of a request. */
export function streamOf(request: ScriptedRequest | undefined): string {
  const prompt = (request?.prompt ?? []) as readonly PromptMessage[];
  const stream = prompt.find(({ role }) => role === 'user');
  return stream?.role === 'user' ? contentText(stream.content) : '';
}

/** The headings of the events in a stream. */
export function headings(stream: string): readonly string[] {
  return (stream.match(/^## Events? .*/gm) ?? []).map((line) => line.slice(3).replace('TYPE: ', ''));
}
