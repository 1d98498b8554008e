import type { ToolsetKind } from '../../core/tool/toolset.ts';

/** A built-in kind of toolset, before it is loaded. */
export interface BuiltInToolset {
  /** Names of its tools, as the kind itself states them; empty when they come from a connection. */
  readonly tools: readonly string[];
  readonly observers?: readonly string[];
  /** Loads the kind, when the first profile names a toolset of it. */
  readonly load: () => Promise<ToolsetKind>;
}

/** Built-in kinds of toolsets, by name. */
export const builtInToolsets: Readonly<Record<string, BuiltInToolset>> = {
  mcp: { tools: [], load: async () => (await import('../../toolsets/mcp/mcp-toolset.ts')).mcpToolsetKind },
  module: { tools: [], load: async () => (await import('../../toolsets/module/module-toolset.ts')).moduleToolset },
  web: {
    tools: ['search_web', 'fetch_page'],
    load: async () => (await import('../../toolsets/web/web-toolset.ts')).webToolset,
  },
  browser: {
    tools: [
      'open_page',
      'go_back',
      'snapshot_page',
      'click',
      'type_text',
      'select_option',
      'press_key',
      'scroll_page',
      'use_tab',
      'wait_for',
      'read_page_text',
      'take_screenshot',
    ],
    observers: ['browser_state'],
    load: async () => (await import('../../toolsets/browser/browser-toolset.ts')).browserToolset,
  },
  javascript: {
    tools: ['run_javascript'],
    load: async () => (await import('../../toolsets/javascript/javascript-toolset.ts')).javascriptToolset,
  },
  python: {
    tools: ['run_python'],
    load: async () => (await import('../../toolsets/python/python-toolset.ts')).pythonToolset,
  },
  charts: {
    tools: ['draw_chart'],
    load: async () => (await import('../../toolsets/charts/charts-toolset.ts')).chartsToolset,
  },
  sql: {
    tools: ['list_tables', 'query_database'],
    load: async () => (await import('../../toolsets/sql/sql-toolset.ts')).sqlToolset,
  },
  shell: {
    tools: ['run_command', 'read_command_output', 'list_commands', 'stop_command'],
    load: async () => (await import('../../toolsets/shell/shell-toolset.ts')).shellToolset,
  },
  knowledge: {
    tools: ['read_knowledge', 'list_knowledge', 'index_documents', 'search_knowledge'],
    load: async () => (await import('../../toolsets/knowledge/knowledge-toolset.ts')).knowledgeToolset,
  },
  plan: {
    tools: ['manage_plan'],
    load: async () => (await import('../../team/plan/plan-toolset.ts')).planToolset,
  },
  phases: {
    tools: ['run_plan'],
    load: async () => (await import('../../team/phases/phases-toolset.ts')).phasesToolset,
  },
  results: {
    tools: ['submit_results'],
    load: async () => (await import('../../toolsets/results/results-toolset.ts')).resultsToolset,
  },
  human: {
    tools: ['ask_human', 'notify'],
    load: async () => (await import('../../toolsets/human/human-toolset.ts')).humanToolset,
  },
  flow: {
    tools: ['terminate', 'submit_answer'],
    load: async () => (await import('../../team/flow/flow-toolset.ts')).flowToolset,
  },
  links: {
    tools: ['check_links'],
    load: async () => (await import('../../toolsets/workspace/links-toolset.ts')).linksToolset,
  },
  workspace: {
    tools: ['list_files', 'read_file', 'search_files', 'write_file', 'edit_file', 'move_file', 'delete_file'],
    load: async () => (await import('../../toolsets/workspace/workspace-toolset.ts')).workspaceToolset,
  },
};

/** Loads all kinds of toolsets, for descriptions of them. */
export async function loadToolsetKinds(): Promise<Readonly<Record<string, ToolsetKind>>> {
  const kinds = await Promise.all(Object.entries(builtInToolsets).map(async ([name, { load }]) => [name, await load()] as const));
  return Object.fromEntries(kinds);
}
