import type { SourceRef } from '../../core/profile/source-ref.ts';
import { diffLines, type DiffLine } from '../turn/diff-lines.ts';
import type { Differing } from './compare-turn.ts';
import type { BeforeAfter, ChangedText, DecisionView } from './rerendered-turn.ts';
import type { CallVerdict } from './turn-facts.ts';

/** Kind of a change. */
export type ChangeMark = ChangedText['change'];

/** One piece of what differs between two versions of a turn, in words and lines, for a terminal or a page. */
export type DifferencePiece =
  /** A sentence, with a mark for something that was added, removed or changed. */
  | { readonly kind: 'sentence'; readonly text: string; readonly mark?: ChangeMark }
  /** A value before and after, both short. */
  | { readonly kind: 'pair'; readonly title: string; readonly before: string; readonly after: string }
  | {
      readonly kind: 'lines';
      readonly title: string;
      readonly mark?: ChangeMark;
      readonly source?: SourceRef;
      /** Reason why there is no text. */
      readonly error?: string;
      readonly lines: readonly DiffLine[];
    };

/** Lists what differs between two versions of a turn, in the order in which a turn makes it. */
export function differencePieces(difference: Differing): readonly DifferencePiece[] {
  const { start, systemPrompt = [], messages = [], history, tools, toolChoice, observers, items, state, decision } = difference;
  return [
    ...(start === undefined ? [] : [{ kind: 'sentence' as const, text: `the turn would not begin: ${start}` }]),
    ...systemPrompt.map((segment) => ofText('segment', segment)),
    ...messages.map((message) => ofText('message', message)),
    ...ofPair('history', history),
    ...ofTools(tools),
    ...ofPair('tool choice', toolChoice),
    ...ofList('observers that fired', observers),
    ...ofList('items posted', items),
    ...ofList('state changes', state),
    ...(decision === undefined
      ? []
      : ofPair('decision', { before: decisionText(decision.before), after: decisionText(decision.after) })),
    ...(difference.gates ?? []).map(ofGate),
  ];
}

function ofText(what: string, { change, name, kind, source, error, lines }: ChangedText): DifferencePiece {
  return {
    kind: 'lines',
    title: `${what} ${name} (${kind})${change === 'moved' ? ' has moved' : ''}`,
    mark: change,
    ...(source === undefined ? {} : { source }),
    ...(error === undefined ? {} : { error }),
    lines,
  };
}

function ofPair(title: string, pair: BeforeAfter<string> | undefined): readonly DifferencePiece[] {
  return pair === undefined ? [] : [{ kind: 'pair', title, ...pair }];
}

function ofList(title: string, list: BeforeAfter<readonly string[]> | undefined): readonly DifferencePiece[] {
  if (list === undefined) return [];
  const lines = diffLines(list.before.join('\n'), list.after.join('\n')).filter(({ text }) => text !== '');
  return [{ kind: 'lines', title, lines }];
}

function ofTools(tools: Differing['tools']): readonly DifferencePiece[] {
  if (tools === undefined) return [];
  const { added, removed, changed } = tools;
  return [
    ...added.map((name): DifferencePiece => ({ kind: 'sentence', mark: 'added', text: `tool ${name}` })),
    ...removed.map((name): DifferencePiece => ({ kind: 'sentence', mark: 'removed', text: `tool ${name}` })),
    ...changed.map((name): DifferencePiece => ({
      kind: 'sentence',
      mark: 'changed',
      text: `tool ${name} is described differently`,
    })),
  ];
}

function ofGate({ before, after }: BeforeAfter<CallVerdict | undefined>): DifferencePiece {
  const { callId = '', tool = '' } = after ?? before ?? {};
  return { kind: 'pair', title: `call ${callId} of ${tool}`, before: verdictText(before), after: verdictText(after) };
}

/** Says a decision: `rule done: end_agent_turn (success)`. */
function decisionText(view: DecisionView | undefined): string {
  if (view === undefined) return 'none';
  const rule = view.ruleId === undefined ? 'no rule' : `rule ${view.ruleId}`;
  const outcome = view.outcome === undefined ? '' : ` (${view.outcome})`;
  return `${rule}: ${view.action}${outcome}${view.detail === undefined ? '' : ` ${JSON.stringify(view.detail)}`}`;
}

function verdictText(call: CallVerdict | undefined): string {
  if (call === undefined) return 'not called';
  const { verdict, gateId, code, message } = call;
  if (verdict === 'asks') return `asks a person (gate ${gateId ?? ''})`;
  return verdict === 'runs'
    ? 'runs'
    : `${verdict}${code === undefined ? '' : ` ${code}`}${message === undefined ? '' : `: ${message}`}`;
}
