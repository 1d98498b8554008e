import type { DecidedAction } from '../../../core/events/turn-parts.ts';
import type { ObserverRecord, RuleRecord } from '../../../core/state/turn.ts';
import { beforeAfter } from '../../../core/patches/state-changes.ts';
import type { ObserverResultView } from '../../turn/turn-judgements.ts';
import type { TurnRecord } from '../../turn/turn-record.ts';
import { safe, type Layout } from '../text/layout.ts';
import { placeText } from '../origin-text.ts';
import { valuesText } from './gate-text.ts';

/** Adds the observers of one phase, fired or not. */
export function formatObservers(out: Layout, turn: TurnRecord, phase: ObserverRecord['phase']): void {
  const observers = turn.observers.filter((observer) => observer.phase === phase);
  if (observers.length === 0) return;
  out.heading(phase === 'pre' ? 'Observers before the turn' : 'Observers after the reply');
  for (const observer of observers) out.line(observerText(out, observer), 2);
}

function observerText(out: Layout, observer: ObserverResultView): string {
  const { style } = out;
  const verdict = observer.error !== undefined ? style.red('failed') : observer.fired ? style.green('fired') : 'not fired';
  const notes = [
    ...(observer.condition === undefined ? [] : [`condition ${safe(observer.condition)}`]),
    ...(observer.value === undefined ? [] : [`value ${safe(JSON.stringify(observer.value))}`]),
    ...(observer.action === undefined ? [] : [observer.action]),
    ...(observer.tools === undefined ? [] : [boundText(observer.tools)]),
    ...(observer.declaredAt === undefined ? [] : [placeText(observer.declaredAt)]),
    ...(observer.error === undefined ? [] : [safe(observer.error.message)]),
  ];
  return `${style.cyan(safe(observer.id))}  ${verdict}  ${style.dim(notes.join(', '))}`.trimEnd();
}

/** Describes the limits an observer put on the turn's tools. */
function boundText({ choice, only, except }: NonNullable<ObserverResultView['tools']>): string {
  const parts = [
    ...(choice === undefined ? [] : [`tool choice ${safe(choice)}`]),
    ...(only === undefined ? [] : [`only ${safe(only.join(', ')) || 'none'}`]),
    ...(except === undefined || except.length === 0 ? [] : [`without ${safe(except.join(', '))}`]),
  ];
  return `→ ${parts.join(', ')}`;
}

/** Adds the decider's action, its trace in one line, and each rule with its condition. */
export function formatDecision(out: Layout, turn: TurnRecord): void {
  const { action, rules, notAsked } = turn.decision;
  if (action === undefined) return;
  out.heading(`Decision: ${actionText(action)}`);
  if (rules.length > 0) out.line(ruleTrace(rules), 2);
  rules.forEach((rule, index) => {
    if (rule.condition === undefined && rule.declaredAt === undefined) return;
    const place = rule.declaredAt === undefined ? '' : `, ${placeText(rule.declaredAt)}`;
    const result = rule.matched ? out.style.green(ruleResult(rule)) : ruleResult(rule);
    out.line(
      `${index + 1}. ${safe(rule.id)}: ${rule.condition === undefined ? 'always' : safe(rule.condition)} → ${rule.action ?? '?'}  ${result}${out.style.dim(place)}`,
      4,
    );
  });
  if (notAsked.length > 0) out.line(out.style.dim(`not asked: ${notAsked.map(({ id }) => safe(id)).join(', ')}`), 4);
}

function actionText(action: DecidedAction): string {
  const notes = [
    ...(action.ruleId === undefined ? [] : [`rule ${safe(action.ruleId)}`]),
    ...(action.outcome === undefined ? [] : [`outcome ${safe(action.outcome)}`]),
    ...(action.on === undefined ? [] : [`on ${action.on.map((source) => safe(source)).join(', ')}`]),
    ...(action.tools === undefined ? [] : [`tools ${action.tools.map((name) => safe(name)).join(', ')}`]),
    ...(action.toolChoice === undefined ? [] : [`tool choice ${safe(action.toolChoice)}`]),
    ...(action.call === undefined ? [] : [`calls ${safe(action.call.name)}`]),
    ...(action.error === undefined ? [] : [`error ${safe(action.error)}`]),
  ];
  return notes.length === 0 ? action.type : `${action.type} (${notes.join(', ')})`;
}

/** Adds the changes of agent and team state that the turn made. */
export function formatStateChanges(out: Layout, turn: TurnRecord): void {
  if (turn.stateChanges.length === 0) return;
  out.heading('State changes');
  for (const change of turn.stateChanges) {
    const by = change.by === undefined ? '' : out.style.dim(` by ${safe(change.by)}`);
    out.line(`${safe(change.path)}  ${safe(beforeAfter(change))}${by}`, 2);
  }
}

/** The rules tried, as one safe line: `rule 1 (stop) false: flags.n = 1; rule 2 (go) matched`. */
function ruleTrace(rules: readonly RuleRecord[]): string {
  return rules.map((rule, index) => `rule ${index + 1} (${safe(rule.id)}) ${ruleResult(rule)}`).join('; ');
}

/** Renders the result of one rule as one safe line. */
function ruleResult(rule: RuleRecord): string {
  if (rule.error !== undefined) return `failed: ${safe(rule.error.message)}`;
  const values = valuesText(rule);
  const verdict = rule.matched ? 'matched' : 'false';
  return values === '' ? verdict : `${verdict}: ${values}`;
}
