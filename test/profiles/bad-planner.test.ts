import { describe } from 'vitest';
import { itReports } from './marked-files.ts';

const planner = (body: string): string => `name: A\nllm_config_ref: default\nplanner: ${body}\n`;
const rules = (body: string): string => planner(`{ type: rules, default: model, rules: [${body}] }`);
const loop = (body: string): string => planner(`{ type: loop, until: last.ok, steps: [${body}] }`);

describe('planners', () => {
  itReports([
    { title: 'no type', text: planner('‸{ rules: [] }'), code: 'MISSING_KEY', says: '`type`' },
    { title: 'an unknown type', text: planner('{ type: ‸llm }'), code: 'NOT_ALLOWED', says: 'single_action' },
    {
      title: 'a key of another type',
      text: planner('{ type: rules, default: model, ‸steps: [] }'),
      code: 'UNKNOWN_KEY',
      says: '`rules`',
    },
    { title: 'a single action without a tool', text: planner('‸{ type: single_action }'), code: 'MISSING_KEY', says: '`tool`' },
    {
      title: 'an unknown tool',
      text: planner('{ type: single_action, tool: ‸finish_flw }'),
      code: 'UNKNOWN_TOOL',
      says: 'did you mean `finish_flow`?',
    },
    {
      title: 'arguments that read unknown names',
      text: planner("{ type: single_action, tool: finish_flow, args: { x: '{{ ‸tsk }}' } }"),
      code: 'BAD_TEMPLATE',
      says: 'task',
    },
    {
      title: 'a static planner without words',
      text: planner('‸{ type: static, say: x, call: { tool: finish_flow } }'),
      code: 'MISSING_KEY',
      says: '`words`',
    },
    { title: 'a rule that does nothing', text: rules('‸{ id: a }'), code: 'MISSING_KEY', says: 'does nothing' },
    {
      title: 'a rule that does two things',
      text: rules('{ id: a, condition: last.ok, say: x, fail: ‸y }'),
      code: 'NOT_ALLOWED',
      says: 'two things',
    },
    {
      title: 'an answer to words',
      text: rules('{ id: a, condition: last.ok, say: x, answer: ‸y }'),
      code: 'NOT_ALLOWED',
      says: 'for calls',
    },
    {
      title: 'a condition that cannot be read',
      text: rules("{ id: a, condition: 'task ==‸', say: x }"),
      code: 'BAD_EXPRESSION',
      says: '',
    },
    {
      title: 'no default',
      text: planner('‸{ type: rules, rules: [{ id: a, condition: last.ok, say: x }] }'),
      code: 'MISSING_KEY',
      says: '`default`',
    },
    {
      title: 'a default that is a word',
      text: planner('{ type: rules, rules: [], default: ‸models }'),
      code: 'NOT_ALLOWED',
      says: 'model',
    },
    {
      title: 'a rule behind one that always holds',
      text: rules('{ id: a, say: x }, ‸{ id: b, say: y }'),
      code: 'UNREACHABLE_RULE',
      says: 'never reached',
      severity: 'warning',
    },
    {
      title: 'an answer of all rules',
      text: planner('{ type: rules, default: model, rules: [], ‸answer: x }'),
      code: 'UNKNOWN_KEY',
      says: '`rules`',
    },
    { title: 'words for no call', text: planner('‸{ type: static, say: x, words: [a] }'), code: 'MISSING_KEY', says: '`call`' },
    {
      title: 'a script that ends in a call',
      text: planner('{ type: script, steps: [], default: ‸{ call: { tool: finish_flow } } }'),
      code: 'NOT_ALLOWED',
      says: 'say, fail, model',
    },
    {
      title: 'a loop that ends in a model',
      text: planner('{ type: loop, until: last.ok, steps: [], default: ‸model }'),
      code: 'NOT_ALLOWED',
      says: 'say, fail',
    },
    {
      title: 'an agent of the step before in a script',
      text: planner('{ type: script, steps: [{ id: a, tool: finish_flow, keep_agent: ‸true }] }'),
      code: 'NOT_ALLOWED',
      says: 'for loops',
    },
    { title: 'a script without steps', text: planner('‸{ type: script }'), code: 'MISSING_KEY', says: '`steps`' },
    {
      title: 'steps from two places',
      text: planner('{ type: script, steps: [], steps_from: ‸initial_params.script }'),
      code: 'NOT_ALLOWED',
      says: 'both',
    },
    {
      title: 'steps from anywhere',
      text: planner('{ type: script, steps_from: ‸team.shared.script }'),
      code: 'NOT_ALLOWED',
      says: 'initial_params',
    },
    { title: 'a loop without an end', text: planner('‸{ type: loop, steps: [] }'), code: 'MISSING_KEY', says: '`until`' },
    {
      title: 'a loop of no iterations',
      text: planner('{ type: loop, until: last.ok, steps: [], max_iterations: ‸0 }'),
      code: 'OUT_OF_RANGE',
      says: '1',
    },
    { title: 'a step without a tool', text: loop('‸{ id: a }'), code: 'MISSING_KEY', says: '`tool`' },
    {
      title: 'two steps of one id',
      text: loop('{ id: a, tool: finish_flow }, { id: ‸a, tool: finish_flow }'),
      code: 'DUPLICATE_ID',
      says: '`a`',
    },
    {
      title: 'a function and a planner',
      text: 'name: A\nfunction_node: ‸sum_up\nplanner: { type: static, say: x }\n',
      code: 'NOT_ALLOWED',
      says: 'both replace the model',
    },
  ]);
});
