import { type CauseStep, shownCauses } from '../why/cause-chain.ts';
import type { ShortAnswer } from '../why/why.ts';
import { Layout, safe } from './text/layout.ts';
import { originText } from './origin-text.ts';
import { countText } from './text/quantity-text.ts';
import type { FormatOptions } from './text/text-style.ts';

/** Renders the answers to "where does this text come from?". */
export function formatWhy(answers: readonly ShortAnswer[], options: FormatOptions = {}): string {
  const out = new Layout(options);
  if (answers.length === 0)
    return out.line('Not found: the text is neither in the prompt nor in the reply of this turn.').toString();
  const match = answers[0]?.match ?? 'exact';
  if (match !== 'exact')
    out.line(
      out.style.dim(match === 'case' ? 'Found without regard to case and white space.' : 'Found without regard to white space.'),
    );
  answers.forEach((answer, index) => {
    if (index > 0) out.line();
    formatAnswer(out, answer, options.full ?? false);
  });
  return out.toString();
}

function formatAnswer(out: Layout, answer: ShortAnswer, full: boolean): void {
  const place = answer.where === 'tool_call' ? 'tool call' : answer.where;
  out.line(`${out.style.bold(`In the ${place} of ${safe(answer.turnId)}`)}, characters ${answer.range[0]} to ${answer.range[1]}`);
  for (const piece of answer.pieces) {
    const where =
      piece.messageIndex === undefined
        ? ''
        : out.style.dim(
            ` [message ${piece.messageIndex}, ${piece.role ?? ''}${piece.ephemeral === true ? ', this turn only' : ''}]`,
          );
    out.line(`${out.style.cyan(`“${safe(piece.text, 80)}”`)}${where}`, 2);
    out.line(originText(piece.origin), 4);
  }
  if (answer.causes.length > 0) formatCauses(out, answer, full);
}

function formatCauses(out: Layout, { causes, causesLeftOut = 0 }: ShortAnswer, full: boolean): void {
  out.line(out.style.dim('because, newest first:'), 2);
  const { newest, oldest } = shownCauses;
  const short = !full && causes.length + causesLeftOut > newest + oldest + 1;
  const head = short ? causes.slice(0, newest) : causes;
  const tail = short ? causes.slice(-oldest) : [];
  for (const step of head) out.line(causeText(out, step), 4);
  if (short) out.line(out.style.dim(`… ${countText(causes.length + causesLeftOut - head.length - tail.length, 'more step')}`), 4);
  for (const step of tail) out.line(causeText(out, step), 4);
}

function causeText(out: Layout, step: CauseStep): string {
  return `${out.style.dim(`#${step.seq} ${step.type}`)} ${safe(step.text)}`;
}
