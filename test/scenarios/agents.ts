import type { JsonObject } from '../../src/core/json.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { type Commit, createEngine, type Engine, type EngineOptions, type Journal } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';
import { type Model, messagesOf } from './scenario.ts';

/** A reply to what an agent read last: by a word in it, from a table, or by a function of the request. */
export type Says = ScriptedReply | ((request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>);

/** A model for all agents of a profile: what it says depends on the last message of the prompt, not on who asks first. */
export function answers(table: Readonly<Record<string, Says>>, otherwise: Says = { text: 'Answered.' }): Model {
  return scriptedModel((request) => {
    const last = messagesOf(request).at(-1) ?? '';
    const key = Object.keys(table).find((word) => last.includes(word));
    const says = (key === undefined ? undefined : table[key]) ?? otherwise;
    return typeof says === 'function' ? says(request) : says;
  });
}

/** A reply with several calls of one tool. */
export function calls(name: string, ...args: readonly JsonObject[]): ScriptedReply {
  return { toolCalls: args.map((each) => ({ name, args: each })) };
}

/** An engine over a journal that outlives it, so that another one can take its runs up. */
export async function engineOver(
  yaml: readonly string[],
  models: Readonly<Record<string, Model>>,
  journal: Journal = createMemoryJournal(),
  options: Partial<EngineOptions> = {},
): Promise<{ readonly engine: Engine; readonly journal: Journal }> {
  const files = yaml.map((text, index) => ({ path: `${folderOf(text)}/${index}.yaml`, text }));
  const engine = await createEngine({
    store: journal,
    env: {},
    random: () => 0,
    graceMs: 50,
    ...options,
    models,
    profiles: { files },
  });
  return { engine, journal };
}

/** A journal that keeps its commits, one by one. */
export function keepingCommits(): { readonly journal: Journal; readonly commits: readonly Commit[] } {
  const journal = createMemoryJournal();
  const commits: Commit[] = [];
  const append = journal.append.bind(journal);
  journal.append = (lease, commit) => {
    commits.push({ ...commit, events: [...commit.events] });
    return append(lease, commit);
  };
  return { journal, commits };
}

/** A journal that holds these commits, as a process leaves it that dies behind the last of them. */
export async function journalOf(commits: readonly Commit[]): Promise<Journal> {
  const journal = createMemoryJournal();
  const [first] = commits;
  if (first === undefined) return journal;
  const lease = await journal.acquire(first.runId, '1@host#first');
  for (const commit of commits) await journal.append(lease, commit);
  await journal.release(lease);
  return journal;
}

/** The status of each agent, by id. */
export function standing(state: RunContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...state.agents].map(
      ([
        id,
        {
          status,
          result: { outcome },
        },
      ]) => [id, outcome ?? status],
    ),
  );
}

function folderOf(text: string): string {
  return /^\s*protocol_name:/m.test(text) ? 'handover_protocols' : 'profiles';
}

/** Calls the clerk, by its tool or with `call_agent`, and says what it heard. */
export const boss = `
name: Boss
type: partner
llm_config_ref: boss
instructions: You lead.
tool_access_policy: { allowed_toolsets: [agents, flow_control_end] }
callable_profiles: [Clerk, Poet]
`;

/** Answers questions, as a tool and by name. */
export const clerk = `
name: Clerk
type: associate
llm_config_ref: clerk
instructions: You are the clerk.
description_for_human: Answers questions.
tool_access_policy: { allowed_toolsets: [flow_control_end] }
exposable_as_tool:
  name: ask_clerk
  description: Asks the clerk a question.
  parameters:
    type: object
    required: [question]
    properties: { question: { type: string, x-handover-title: The question } }
`;

/** Writes; can only be called by name. */
export const poet = `
name: Poet
type: associate
llm_config_ref: poet
instructions: You write.
description_for_human: Writes a line.
`;
