import { missing } from './missing.ts';
import type { Table } from './requirement.ts';

/** The second system: one agent that thinks and acts, its tools, and plans over several of them. */
export const openManusTables: readonly Table[] = [
  {
    table: 'A2.1',
    section: 'Agent core',
    rows: {
      fields: 'an agent is a name, a prompt, a model, a memory and a number of steps',
      states: 'its state can be read, also when it is over',
      run: 'goes on step by step; the last one is a defined end that keeps what there is',
      'update-memory': 'messages by role; a role there is not is refused',
      'is-stuck': 'the same words again and again are noticed',
      'stuck-state': 'a stuck agent is told to try another way',
      memory: 'the last so many messages',
      message: 'text, calls, results and pictures',
      'react-step': 'a step thinks, then acts; words alone are an answer',
      'tool-call-agent': 'a base for such agents: 30 steps, cut results, a tool that ends',
      think: 'a prompt for this step only; the choice of tools: none, auto, required',
      act: 'calls in order, results cut',
      'execute-tool': 'whatever is wrong with a call is told to the model',
      'special-tools': 'tools that end the agent',
      cleanup: 'what tools hold is let go at the end',
      'tool-result': 'output, error and picture of a tool',
      'tool-collection': 'tools by name; one name twice is a mistake',
    },
  },
  {
    table: 'A2.2',
    section: 'Agents',
    rows: {
      manus: 'the generalist: code, browser, files, people, MCP',
      browser: 'the browser agent, which sees where it is',
      swe: 'the programmer: shell and edits',
      mcp: 'the agent of MCP servers, told when their tools change',
      'data-analysis': 'the analyst: code, data, charts',
      sandbox: 'the generalist in a sandbox',
      'sandbox-machine': [
        'a virtual machine of its own, with links to what it serves',
        {
          later:
            'Programs run in a sandbox of this machine, which sees the workspace alone; machines elsewhere, with desktops and links, need a service of the user’s choice.',
        },
      ],
      others: 'any of them as the executor of a plan',
    },
  },
  {
    table: 'A2.3',
    section: 'Tools',
    rows: {
      terminate: 'the end, as a success or a failure',
      'ask-human': 'a question to a person',
      python: 'code in a process of its own, with a time',
      bash: 'a session that is kept, with a time and a new start',
      editor: 'view, create, replace, insert, undo',
      browser: 'pages: opened, clicked, typed into, scrolled, read; tabs',
      'browser-extract': [
        'what a page says about a goal, found by a second model',
        { later: 'The agent reads the text of a page itself, in parts where it is long; no second model reads it in its place.' },
      ],
      'web-search': 'several engines, one after the other; page texts',
      'typed-completion': 'an answer that must fit a type',
      planning: 'a plan with steps, marks and progress',
      'sandbox-browser': [
        'a browser inside a virtual machine, by coordinates',
        {
          later:
            'The browser runs on this machine behind a proxy and is led by elements; one in a virtual machine needs a service of its own.',
        },
      ],
      'sandbox-files': 'files of a workspace: created, edited, rewritten, deleted',
      'sandbox-shell': 'named sessions, commands in the background: looked at, listed, ended',
      'sandbox-vision': 'a picture from a file, within bounds',
      'mcp-client': 'tools of MCP servers',
      others: [
        'crawling many pages, mouse and keyboard of a computer',
        { later: 'Pages are fetched one by one and browsers led by elements; whole desktops need a service of the user’s choice.' },
      ],
    },
  },
  {
    table: 'A2.4',
    section: 'Models, plans, config, servers',
    rows: {
      llm: 'streams, pictures, tools; tries again; counts tokens; a model per agent',
      'llm-clients': 'clients of their own for Azure and Bedrock',
      config: 'settings of models, inherited and from the environment',
      'planning-flow': 'a plan made by a model, each step carried out by an agent of its kind',
      'flow-factory': 'flows by type',
      'mcp-server': 'single tools served over MCP',
      a2a: ['the agent served over A2A', missing.serving],
      cli: 'one question or a conversation from a terminal',
    },
  },
];
