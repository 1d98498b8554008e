import { defineTransitionTool } from '../../../src/tools/define-transition-tool.ts';

/** A transition tool that asks a person and does not wait for ever. */
export const askSoon = defineTransitionTool({
  name: 'ask_soon',
  description: 'Asks.',
  run: () => ({
    kind: 'suspend',
    on: { kind: 'question', prompt: 'Soon?', expires: { afterMs: 4_000, verdict: 'deny' } },
    memo: null,
  }),
  resume: (_args, _context, happening) => ({
    kind: 'result',
    content: happening.kind === 'answer' ? `answer: ${JSON.stringify(happening.value)}` : '',
  }),
});
