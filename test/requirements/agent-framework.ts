import { missing } from './missing.ts';
import type { Table } from './requirement.ts';

/** The third system: managers over managers over workers, planners of all kinds, policies. */
export const agentFrameworkTables: readonly Table[] = [
  {
    table: 'A4.1',
    section: 'Core',
    rows: {
      types: 'a reply is one call, several at once, or an answer',
      agent: 'an agent is a planner, a memory, tools and policies',
      run: 'decides, is held to limits, asks people, runs calls at once, reads results, goes on',
      'script-mode': 'steps of a script in order, up to the first failure',
      errors: 'a tool that fails is read by the agent; so is a call that is refused',
      'parallel-results': 'results of equal calls as one table, of others in sections',
      'result-formatter': 'results of certain tools as tables',
      manager: 'a manager with workers, follow-up and a synthesiser',
      'manager-run': 'delegates to one worker or to several at once, uses its own tools, or answers',
      phases: 'phases in order, each with what came before',
      'script-plan': 'a script for several workers, to be followed exactly or as advice',
      'parallel-managers': 'several at once, their results together, in order',
      synthesis: 'one structured answer of what the workers brought',
      'request-context': 'values of this request, wherever they are needed',
    },
  },
  {
    table: 'A4.2',
    section: 'Planners',
    rows: {
      static: 'by words in the task',
      'single-action': 'one call, then the end',
      'llm-router': 'a model chooses one tool with its arguments',
      strategic: 'a model plans phases and workers',
      'worker-router': 'by rules, then a model, then a default',
      chat: 'answers with the last messages in view',
      react: 'thought, calls and final answer, as JSON text or native calls',
      math: 'a calculator or words',
      decomposer: 'the manager’s own phase, in steps',
      'manager-script': 'a script written by a model',
    },
  },
  {
    table: 'A4.3',
    section: 'Policies',
    rows: {
      completion: 'complete is what says so in a structured way',
      termination: 'bounds on turns, tools that end, errors or partial results',
      'loop-prevention': 'the same calls with the same results, three times',
      hitl: 'who is asked before which call, and what was decided',
      checkpoint: 'a pause after so many turns, or certain calls',
      'follow-up': 'further phases until it is complete',
      presets: 'simple, with follow-ups, with people, with checkpoints',
      'history-filter': 'what each kind of planner sees of the history',
    },
  },
  {
    table: 'A4.4',
    section: 'Memory, context, jobs, events, config',
    rows: {
      'entry-types': 'kinds of entries, in groups that can be shown or not',
      visibility: 'what workers, managers and orchestrators see of each other',
      memories: 'memories of one, of a team, of those below',
      'context-config': 'how long each kind of text may be, with a marker where it is cut',
      'job-store': 'what waits for a person outlives the process, and runs once',
      'policy-engine': 'calls that are denied by rules over tool and arguments',
      'event-bus': 'its names of events, and which of them are told',
      gateways: 'several providers, and what they cost',
      yaml: 'agents declared in YAML, checked',
      'yaml-variables': 'values of the request, then of the environment, in YAML',
      tools: 'a tool is a function with a schema; files are found and searched',
      settings: 'who is asked stands in the tool and the profile, not in the environment',
    },
  },
];
