import { useEffect, useRef, useState } from 'preact/hooks';
import type { CauseStep } from '../../src/inspect/why/cause-chain.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import type { WhyAnswer, WhyPiece } from '../../src/inspect/why/why.ts';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { useKeys } from '../kit/keys.ts';
import { safe } from '../kit/safe.ts';
import { runHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { OriginView, TrailLink } from './origin-view.tsx';
import type { TurnSection } from './sections.ts';
import { leave } from './trail.ts';

/** Number of pieces and steps shown at first. */
const fewPieces = 6;
const fewSteps = 8;

/** Properties of the panel. */
interface WhyPanelProps {
  /** A place, or a text to search for. */
  readonly question: WhyPlace | string;
  readonly answers: readonly WhyAnswer[];
  readonly onClose: () => void;
}

/** Origin of a text in the turn, and the chain of causes back to the user. */
export function WhyPanel({ question, answers, onClose }: WhyPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [question]);
  useKeys([{ keys: 'Escape', does: 'close where it came from', run: onClose }]);
  return (
    <aside class="why" aria-labelledby="why-title">
      <header class="why-head">
        <h3 id="why-title" ref={heading} tabIndex={-1}>
          Where this came from
        </h3>
        <CopyButton value={() => answers} label="copy" of="the answer as JSON" />
        <button type="button" class="quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      <div class="why-body" aria-live="polite">
        {answers.length === 0 && <NoAnswer question={question} />}
        {typeof question === 'string' && answers.length > 0 && <Found answers={answers} />}
        {answers.map((answer, index) => (
          <Answer key={index} answer={answer} isOnly={answers.length === 1} />
        ))}
      </div>
    </aside>
  );
}

function NoAnswer({ question }: { readonly question: WhyPlace | string }) {
  return (
    <p>
      {typeof question === 'string'
        ? `“${safe(question, 120)}” is neither in the prompt nor in the reply of this turn.`
        : 'This turn has no text at this place.'}
    </p>
  );
}

function Found({ answers }: { readonly answers: readonly WhyAnswer[] }) {
  const match = answers[0]?.match ?? 'exact';
  const how = { exact: '', whitespace: ', without regard to white space', case: ', without regard to case and white space' }[match];
  return (
    <p class="small faint">
      Found at {countText(answers.length, 'place')}
      {how}.
    </p>
  );
}

const places: Readonly<Record<WhyAnswer['where'], string>> = {
  prompt: 'What the model saw',
  reply: 'The reply',
  reasoning: 'The reasoning',
  tool_call: 'Arguments of a tool call',
};

function Answer({ answer, isOnly }: { readonly answer: WhyAnswer; readonly isOnly: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const from = `${safe(answer.turnId, 60)}: “${safe(answer.text.trim(), 40)}”`;
  const pieces = isWhole ? answer.pieces : answer.pieces.slice(0, fewPieces);
  return (
    <article class={isOnly ? 't-answer' : 't-answer t-card'}>
      <p class="small faint">
        {places[answer.where]}, characters {answer.range[0]} to {answer.range[1]}
      </p>
      {pieces.map((piece, index) => (
        <Piece key={index} piece={piece} from={from} />
      ))}
      {answer.pieces.length > pieces.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          show {countText(answer.pieces.length - pieces.length, 'more piece')}
        </button>
      )}
      {answer.causes.length > 0 && <Causes causes={answer.causes} from={from} />}
    </article>
  );
}

function Piece({ piece, from }: { readonly piece: WhyPiece; readonly from: string }) {
  const { text, origin, role, messageIndex, ephemeral } = piece;
  if (origin.kind === 'join' && text.trim() === '')
    return <p class="small faint">white space between two texts, added by the engine</p>;
  return (
    <div class={`t-piece from-${origin.kind}`}>
      <blockquote dir="auto">{text.trim() === '' ? <span class="faint">white space</span> : safe(text.trim(), 400)}</blockquote>
      <OriginView origin={origin} from={from} />
      {messageIndex !== undefined && (
        <p class="small faint">
          in message {messageIndex}, {role}
          {ephemeral === true && ', in this turn only'}
        </p>
      )}
    </div>
  );
}

function Causes({ causes, from }: { readonly causes: readonly CauseStep[]; readonly from: string }) {
  const [isWhole, setWhole] = useState(false);
  const isShort = !isWhole && causes.length > fewSteps + 1;
  const head = isShort ? causes.slice(0, fewSteps - 2) : causes;
  const tail = isShort ? causes.slice(-2) : [];
  return (
    <>
      <h4>Because, newest first</h4>
      <ol class="t-causes" reversed>
        {head.map((step) => (
          <Cause key={step.seq} step={step} from={from} />
        ))}
        {isShort && (
          <li class="t-cause">
            <button type="button" class="quiet" onClick={() => setWhole(true)}>
              {countText(causes.length - head.length - tail.length, 'more step')}
            </button>
          </li>
        )}
        {tail.map((step) => (
          <Cause key={step.seq} step={step} from={from} />
        ))}
      </ol>
    </>
  );
}

function Cause({ step, from }: { readonly step: CauseStep; readonly from: string }) {
  const { runId } = useRun();
  const { seq, type, text, turnId } = step;
  return (
    <li class="t-cause">
      <span class="t-cause-what">{safe(text, 240)}</span>
      <span class="small faint">
        <a href={runHref(runId, 'events', { seq: String(seq) })} onClick={() => leave(from)}>
          #{seq} {type}
        </a>
        {turnId !== undefined && (
          <>
            {' · '}
            <TrailLink turnId={turnId} section={sectionOf(type)} from={from} />
          </>
        )}
      </span>
    </li>
  );
}

/** Returns the section of a turn that shows an event's effect. */
function sectionOf(type: CauseStep['type']): TurnSection {
  if (type === 'model.end') return 'reply';
  if (type === 'turn.decide') return 'decision';
  if (type === 'state.patch' || type === 'state.update') return 'state';
  return type.startsWith('tool.') ? 'calls' : 'items';
}
