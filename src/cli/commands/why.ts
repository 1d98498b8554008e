import { CadreError } from '../../core/error.ts';
import type { WhyAnswer } from '../../inspector/why.ts';
import type { ExitCode } from '../exit-code.ts';
import { formatAnswers } from '../format-answers.ts';
import { matchTurns, findTurn } from '../find-turn.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { showRun, type ReadingOptions } from '../show.ts';

/** Says where a text that a model saw or said came from; without a turn, the newest turn that has it answers. */
export function whyCommand(run: string, words: readonly string[], options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const { turn, text } = readWords(recorded, words);
    const answers = turn === undefined ? await searchTurns(recorded, text) : await recorded.why(turn, text);
    return {
      data: answers,
      code: answers.length === 0 ? 1 : 0,
      text: (format) => (answers.length === 0 && turn === undefined ? notFound(recorded) : formatAnswers(answers, format)),
    };
  });
}

/** A first word that names a turn is one, when words follow; everything else is the text. */
function readWords(recorded: RecordedRun, words: readonly string[]): { readonly turn?: string; readonly text: string } {
  const [first = '', ...rest] = words;
  if (rest.length > 0 && matchTurns(recorded.state, first).length > 0)
    return { turn: findTurn(recorded.state, first), text: rest.join(' ') };
  const text = words.join(' ');
  if (text.trim() === '') throw new CadreError('OPTION_INVALID', 'the text to look for is empty; give a few words of it');
  return { text };
}

async function searchTurns(recorded: RecordedRun, text: string): Promise<readonly WhyAnswer[]> {
  let best: readonly WhyAnswer[] = [];
  for (const turnId of [...recorded.state.turns.keys()].toReversed()) {
    const answers = await recorded.why(turnId, text);
    if (answers[0]?.match === 'exact') return answers;
    if (best.length === 0) best = answers;
  }
  return best;
}

function notFound(recorded: RecordedRun): string {
  return `Not found: the text is in no prompt and no reply of the ${recorded.state.turns.size} turns of run ${recorded.state.meta.runId}.\n`;
}
