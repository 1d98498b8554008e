import { newTool, type NewName } from './names.ts';

const callNote = 'it waits for the report of the agent, and takes profile and input';

/** Replacements for the tools that the second generation introduced. */
const tools: Readonly<Record<string, NewName>> = {
  submit_result: { name: 'finish_flow', note: 'it takes reason, summary and deliverables' },
  delegate_async: { name: 'call_agent', note: callNote },
  launch_principal: { name: 'call_agent', note: callNote },
  ask_expert: { name: 'call_agent', note: callNote },
  fork_join: { name: 'call_agents', note: 'it takes calls, each with profile and input' },
  jina_search: { name: 'search_web', note: 'searching needs a provider: see the settings of `web` in docs/tools.md' },
  jina_reader: { name: 'fetch_page' },
};

/** Returns the replacement for a tool of the second generation; tools shared with the first keep their names. */
export function newSecondTool(name: string): NewName | undefined {
  if (Object.hasOwn(tools, name)) return tools[name];
  return name === 'web_search' ? newTool(name) : undefined;
}

/** Tools that delegate to other agents, by Cadre's names. */
export const callingTools: ReadonlySet<string> = new Set(['call_agent', 'call_agents']);

const pattern = new RegExp(`(?<![\\w.-])(?:${[...Object.keys(tools), 'web_search'].join('|')})(?![\\w-])`, 'g');

/** Replaces tool names in a text with Cadre's; returns the text and the replaced names. */
export function renameSecondTools(text: string): { readonly text: string; readonly renamed: readonly string[] } {
  const found = new Set<string>();
  const result = text.replace(pattern, (from) => {
    const to = newSecondTool(from)?.name ?? from;
    found.add(`${from} → ${to}`);
    return to;
  });
  return { text: result, renamed: [...found] };
}
