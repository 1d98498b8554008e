import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';

/** A transition tool that asks a person, and counts that it did. */
export const askPerson = defineTransitionTool({
  name: 'ask_person',
  description: 'Asks.',
  run: () => ({
    kind: 'suspend',
    on: { kind: 'question', prompt: 'Well?' },
    memo: null,
    events: [{ type: 'state.update', scope: 'team', operation: 'increment', path: 'asked' }],
  }),
  resume: (_args, _context, happening) => ({
    kind: 'result',
    content: happening.kind === 'answer' ? `answer: ${JSON.stringify(happening.value)}` : '',
  }),
});
