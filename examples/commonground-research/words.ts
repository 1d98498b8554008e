import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { JsonObject } from '../../src/core/json.ts';
import { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';

type Say = (request: ScriptedRequest) => ScriptedReply;
type Args = JsonObject;

/** Scripted replies of the team, turn by turn. The system prompt identifies the agent; every fact comes from tool results. */
export function researchWords(question: string): ReturnType<typeof scriptedModel> {
  const parts: Readonly<Record<string, readonly Say[]>> = {
    'You are the Partner': partner(question),
    'You are the Principal': principal(question),
    'Your role: Reader.': reader(question),
    'Your role: Librarian.': librarian(question),
    'Your role: Counter.': counter,
    'Your role: Thinker.': thinker,
    'Your role: Builder.': builder(question),
  };
  return scriptedModel((request) => {
    const system = request.prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
    const said = request.prompt.filter((message) => message.role === 'assistant').length;
    const part = Object.entries(parts).find(([mark]) => system.includes(mark))?.[1] ?? [];
    return part[said]?.(request) ?? { text: 'I have nothing more to say.' };
  });
}

function partner(question: string): readonly Say[] {
  return [
    () =>
      call('manage_work_modules', { actions: [create('Answer the question', `The answer must quote the documents: ${question}`)] }),
    () =>
      call('launch_principal', {
        iteration_mode: 'start_fresh',
        initial_briefing_for_principal: { user_query: question, notes_from_partner: 'Plan module: WM_1' },
      }),
    () => ({ text: 'The team is at work.' }),
    (request) => ({ text: /<report>\n([^]*?)\n<\/report>/.exec(wordsOf(request))?.[1] ?? 'There is no report.' }),
  ];
}

function principal(question: string): readonly Say[] {
  const done =
    (...ids: readonly string[]): Say =>
    () =>
      call('manage_work_modules', {
        actions: ids.map((id) => ({ action: 'status_change', module_id: id, new_status: 'completed' })),
      });
  return [
    () => call('search_documents', { query: question, limit: 5 }),
    () =>
      call('manage_work_modules', {
        actions: [
          create('Passages', `Find what the documents say: ${question}`),
          create('The index', `Look it up in the indexed files: ${question}`),
          create('Figures', 'Count which documents speak of it, from documents.csv.'),
          { ...create('What it means', 'Say what none of the parts says alone.'), depends_on: ['WM_2', 'WM_3', 'WM_4'] },
          { ...create('The page', 'Make a page of it.'), depends_on: ['WM_5'] },
        ],
      }),
    () =>
      dispatch(
        assignment('WM_2', 'Associate_DocumentResearcher', 'Reader', `Search for: ${question}`),
        assignment('WM_3', 'Associate_LocalRAG', 'Librarian', `Index the folder docs, then look up: ${question}`),
        assignment('WM_4', 'Associate_Analyst_Technical', 'Counter', 'The table is documents.csv.'),
      ),
    done('WM_2', 'WM_3', 'WM_4'),
    () => dispatch(assignment('WM_5', 'Associate_InsightGenerator', 'Thinker', 'Use all three.', ['WM_2', 'WM_3', 'WM_4'])),
    done('WM_5'),
    () => dispatch(assignment('WM_6', 'Associate_WebDeveloper', 'Builder', 'One page, index.html.', ['WM_3', 'WM_5'])),
    done('WM_6', 'WM_1'),
    (request) => call('check_citations', { text: reportOf(question, request) }),
    (request) => call('write_report', { content: reportOf(question, request) }),
    (request) => {
      const check = JSON.parse(resultsOf(request, 'check_citations')[0] ?? '{}') as {
        readonly ok?: number;
        readonly total?: number;
      };
      const summary = `${reportOf(question, request)}\n\n${check.ok} of ${check.total} quotations were checked and hold.`;
      return call('finish_flow', { summary, deliverables: { primary_summary: 'The report is written.', page: 'index.html' } });
    },
  ];
}

interface Outcome {
  readonly module_id: string;
  readonly deliverables: Readonly<Record<string, unknown>>;
}

function reportOf(question: string, request: ScriptedRequest): string {
  const outcomes = resultsOf(request, 'dispatch_submodules').flatMap(
    (text) => (JSON.parse(text) as { readonly assignment_execution_results: readonly Outcome[] }).assignment_execution_results,
  );
  const of = (id: string): Readonly<Record<string, unknown>> =>
    outcomes.find(({ module_id: module }) => module === id)?.deliverables ?? {};
  const findings = (of('WM_2')['findings'] ?? []) as readonly {
    readonly file: string;
    readonly line: number;
    readonly text: string;
  }[];
  const quotes = findings.map(({ file, line, text }) => `> ${text.split('\n')[0] ?? ''}\n>\n> — ${file}:${line}`);
  const insight = (of('WM_5')['insights'] as readonly { readonly insight: string }[] | undefined)?.[0]?.insight ?? '';
  return `# ${question}\n\n${insight}\n\n## What the documents say\n\n${quotes.join('\n\n')}`;
}

function reader(question: string): readonly Say[] {
  return [
    () => call('search_documents', { query: question, limit: 3 }),
    (request) => {
      const [hit] = (
        JSON.parse(resultsOf(request, 'search_documents')[0] ?? '{}') as { readonly hits: readonly { readonly file: string }[] }
      ).hits;
      return call('find_passages', { file: hit?.file ?? '', query: question, limit: 3 });
    },
    (request) => {
      const found = JSON.parse(resultsOf(request, 'find_passages')[0] ?? '{}') as {
        readonly file: string;
        readonly passages: readonly { readonly line: number; readonly end_line: number; readonly text: string }[];
      };
      const findings = found.passages.map(({ line, end_line, text }) => ({ file: found.file, line, end_line, text }));
      return hand(`${findings.length} passages of ${found.file}.`, { findings });
    },
  ];
}

function librarian(question: string): readonly Say[] {
  const hitIn = (request: ScriptedRequest): readonly string[] =>
    /^(\S+\.md), lines (\d+) to (\d+)/m.exec(resultsOf(request, 'search_knowledge')[0] ?? '') ?? [];
  return [
    () => call('index_documents', { path: 'docs', tags: ['manual'] }),
    () => call('search_knowledge', { query: question, tags: ['manual'], limit: 2 }),
    (request) => {
      const [, path = '', from, to] = hitIn(request);
      return call('sources_read_file', { path, from_line: Number(from), to_line: Number(to), line_numbers: false });
    },
    (request) => {
      const [, file = '', from = '', to = ''] = hitIn(request);
      const text = resultsOf(request, 'sources_read_file')[0]?.split('\n').slice(1).join('\n') ?? '';
      return hand(`The best place is ${file}.`, { passages: [{ file, lines: `${from}-${to}`, text }] });
    },
  ];
}

const counter: readonly Say[] = [
  () =>
    call('query_database', {
      sql: 'SELECT file, mentions FROM documents WHERE mentions > 0 ORDER BY mentions DESC, file',
      tables: { documents: 'documents.csv' },
    }),
  (request) => {
    const rows = resultsOf(request, 'query_database')[0] ?? '';
    const first = /^\|?\s*(\S+\.md)\D+(\d+)/m.exec(rows);
    return hand('The documents were counted.', {
      findings: [
        {
          statement: `${first?.[1] ?? 'No document'} has it most often.`,
          evidence: `${first?.[2] ?? 0} mentions in documents.csv`,
          confidence: 'high',
        },
      ],
      gaps: ['A mention is not yet an explanation.'],
    });
  },
];

const thinker: readonly Say[] = [
  (request) => {
    const most = /([\w./-]+\.md) has it most often/.exec(wordsOf(request))?.[1] ?? '';
    const best = /The best place is ([\w./-]+\.md)/.exec(wordsOf(request))?.[1] ?? '';
    return hand('One thought holds.', {
      insights: [
        {
          insight: `The words stand most often in ${most}, and the index leads to ${best}: begin there.`,
          basis: 'The figures and the index, put side by side.',
          so_what: `Link both pages.`,
        },
      ],
    });
  },
];

function builder(question: string): readonly Say[] {
  const page = (link: string): Args => ({
    path: 'index.html',
    content: `<!doctype html>\n<html lang="en">\n<title>${question}</title>\n<h1>${question}</h1>\n<p><a href="${link}">Where to begin</a></p>\n`,
  });
  const best = (request: ScriptedRequest): string => /The best place is ([\w./-]+\.md)/.exec(wordsOf(request))?.[1] ?? '';
  return [
    // The first attempt names the wrong folder on purpose.
    (request) => call('write_file', page(best(request).replace('docs/', 'pages/'))),
    () => call('check_links', { path: 'index.html' }),
    (request) => call('write_file', page(best(request))),
    () => call('check_links', { path: 'index.html' }),
    (request) => hand(resultsOf(request, 'check_links').at(-1) ?? '', { files: ['index.html'] }),
  ];
}

function call(name: string, args: Args): ScriptedReply {
  return { text: '', toolCalls: [{ name, args }] };
}

function hand(summary: string, deliverables: Args): ScriptedReply {
  return call('finish_flow', { summary, deliverables: { primary_summary: summary, ...deliverables } });
}

function create(name: string, description: string): Args {
  return { action: 'create', name, description };
}

function dispatch(...assignments: readonly Args[]): ScriptedReply {
  return call('dispatch_submodules', { assignments });
}

function assignment(module: string, profile: string, role: string, instructions: string, inherit: readonly string[] = []): Args {
  return {
    module_id_to_assign: module,
    agent_profile_logical_name: profile,
    assigned_role_name: role,
    assignment_specific_instructions: instructions,
    ...(inherit.length === 0 ? {} : { inherit_messages_from: inherit }),
  };
}

/** Returns the results of a tool, call by call, without the frame of untrusted text. */
function resultsOf(request: ScriptedRequest, tool: string): readonly string[] {
  return partsOf(request.prompt).flatMap((part) =>
    part.type === 'tool-result' && part.toolName === tool && part.output.type === 'text'
      ? [part.output.value.replace(/^<untrusted_data[^\n]*\n|\n<\/untrusted_data[^\n]*>$/g, '')]
      : [],
  );
}

/** Returns all text the agent received. */
function wordsOf(request: ScriptedRequest): string {
  return partsOf(request.prompt)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

type Part = Exclude<LanguageModelV4Message['content'], string>[number];

function partsOf(prompt: readonly LanguageModelV4Message[]): readonly Part[] {
  return prompt.flatMap((message): readonly Part[] => (message.role === 'system' ? [] : message.content));
}
