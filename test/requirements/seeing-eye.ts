import { missing } from './missing.ts';
import type { Table } from './requirement.ts';

/** What the fork adds: prompts by step, forced ends, calls in text, and two agents that refine an answer. */
export const seeingEyeTables: readonly Table[] = [
  {
    table: 'A3',
    section: 'SeeingEye',
    rows: {
      'prompt-choice': 'a prompt for the first step, the next ones and the last',
      'forced-last-step': 'one last step when the steps are used up, then the end',
      'forced-answer': 'the last step can do nothing but answer, by the tool for it',
      'text-fallback': 'calls that stand in the text of a reply',
      'retry-truncated': 'calls that were cut are asked for again, not run',
      'terminate-and-answer': 'an answer with confidence and reasoning, word for word',
      'terminate-and-ask': 'an end that asks the other agent for more',
      'terminate-and-caption': 'an end with fields that are checked',
      'refinement-flow': 'two agents in turn, at most three times',
      'iteration-errors': 'an iteration that fails is followed by the next',
      'flow-executor': 'one result: answer, times, success, error',
      agents: 'who looks, who reasons, and who does both',
      'other-tools': ['patches of a picture, text and tables off it', missing.visionTools],
      logging: 'every step on record, with its errors',
    },
  },
];
