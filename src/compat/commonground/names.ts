/** Cadre's replacement for a tool or toolset of CommonGround. */
export interface NewName {
  readonly name: string;
  /** Difference in behaviour. */
  readonly note?: string;
}

const toolsets: Readonly<Record<string, NewName>> = {
  planning_tools: { name: 'planning_tools' },
  dispatch_tools: { name: 'dispatch_tools' },
  launch_tools: { name: 'launch_tools' },
  monitoring_tools: { name: 'monitoring_tools' },
  intervention_tools: { name: 'intervention_tools' },
  reporting_tools: { name: 'reporting_tools' },
  flow_control_end: { name: 'flow_control_end' },
  flow_control_summary: { name: 'flow_control_summary' },
  jina_search_and_visit: { name: 'web', note: 'searching needs a provider: see the settings of `web` in docs/tools.md' },
  file_system_tools: { name: 'workspace', note: 'it can also edit, move and search files' },
  rag_tools: { name: 'knowledge', note: 'documents are searched as full text, without embeddings' },
};

const tools: Readonly<Record<string, NewName>> = {
  manage_work_modules: { name: 'manage_work_modules' },
  dispatch_submodules: { name: 'dispatch_submodules' },
  finish_flow: { name: 'finish_flow' },
  generate_message_summary: { name: 'generate_message_summary' },
  generate_markdown_report: { name: 'generate_markdown_report' },
  LaunchPrincipalExecutionTool: { name: 'launch_principal' },
  GetPrincipalStatusSummaryTool: { name: 'get_principal_status' },
  SendDirectiveToPrincipalTool: { name: 'send_directive' },
  web_search: { name: 'search_web', note: 'searching needs a provider: see the settings of `web` in docs/tools.md' },
  visit_url: { name: 'fetch_page' },
  write_file: { name: 'write_file' },
  review_workspace_files: {
    name: 'list_files',
    note: 'it lists files; `check_links` of the toolset `links` checks the links of a page',
  },
  rag_query: { name: 'search_knowledge', note: 'documents are searched as full text, without embeddings' },
  rag_add: { name: 'index_documents' },
  list_rag_sources: { name: 'list_knowledge', note: 'documents are listed with `documents: true`' },
};

/** Returns the replacement for a toolset. */
export function newToolset(name: string): NewName | undefined {
  return Object.hasOwn(toolsets, name) ? toolsets[name] : undefined;
}

/** Returns the replacement for a tool. */
export function newTool(name: string): NewName | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/** Tools of each toolset above. */
const owners: Readonly<Record<string, readonly string[]>> = {
  planning_tools: ['manage_work_modules'],
  dispatch_tools: ['dispatch_submodules'],
  launch_tools: ['launch_principal'],
  monitoring_tools: ['get_principal_status'],
  intervention_tools: ['send_directive'],
  reporting_tools: ['generate_markdown_report'],
  flow_control_end: ['finish_flow'],
  flow_control_summary: ['generate_message_summary'],
  web: ['search_web', 'fetch_page'],
  workspace: ['write_file', 'list_files'],
  knowledge: ['search_knowledge', 'index_documents', 'list_knowledge'],
};

/** Returns the toolset of a built-in tool, by Cadre's names. */
export function toolsetOf(tool: string): string | undefined {
  return Object.entries(owners).find(([, names]) => names.includes(tool))?.[0];
}

const renamed = Object.entries(tools).filter(([from, { name }]) => from !== name);
const renamedPattern = new RegExp(`(?<![\\w.-])(?:${renamed.map(([from]) => from).join('|')})(?![\\w-])`, 'g');

/** Replaces tool names in a text with Cadre's; returns the text and the replaced names. */
export function renameTools(text: string): { readonly text: string; readonly renamed: readonly string[] } {
  const found = new Set<string>();
  const result = text.replace(renamedPattern, (from) => {
    const to = newTool(from)?.name ?? from;
    found.add(`${from} → ${to}`);
    return to;
  });
  return { text: result, renamed: [...found] };
}

/** Cadre's names of ingestors; CommonGround's end in `_ingestor`. */
const ingestors: ReadonlySet<string> = new Set([
  'available_associates',
  'dispatch_result',
  'generic_message',
  'json_history',
  'markdown_formatter',
  'observer_failure',
  'principal_history_summary',
  'protocol_aware',
  'tagged_content',
  'templated_content',
  'tool_result',
  'user_prompt',
  'work_modules',
]);

/** Returns Cadre's name of an ingestor. */
export function newIngestor(name: string): string | undefined {
  const short = name.replace(/_ingestor$/, '');
  return ingestors.has(short) ? short : undefined;
}
