import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { ExpectedItem, TestCase, TurnExpectations } from '../cases/test-case.ts';
import type { PlayedTurn } from '../play/played.ts';
import { callsOf, checkAllCalls } from './check-calls.ts';
import { type Failure, Failures, listOf, nearest } from './failure.ts';
import { originsOf, originText, promptDocument, type PromptOrigin } from './prompt-origin.ts';
import { isStatePath, readStatePath, searchText, stateRoots } from './read-state.ts';
import type { Snapshots } from './snapshots.ts';

/** Checks a played turn; returns every expectation that does not hold. */
export async function checkTurn(
  { body, placeOf }: Pick<TestCase, 'body' | 'placeOf'>,
  played: PlayedTurn,
  snapshots: Snapshots,
): Promise<readonly Failure[]> {
  const failures = new Failures(placeOf);
  const { expect } = body;
  await checkPrompt(failures, expect.prompt, { played, snapshots, name: body.name });
  checkObservers(failures, expect.observers, played.record.observers);
  checkDecision(failures, expect, played);
  checkAllCalls(failures, expect.tool_calls, callsOf([played.record]));
  checkTools(failures, expect.tools, played);
  checkState(failures, expect.state, played);
  for (const [index, item] of (expect.posted ?? []).entries()) checkPosted(failures, ['posted', index], item, played);
  if (expect.started !== undefined)
    failures.equal(['started'], 'the turn started other agents', [...expect.started], startedBy(played.own));
  checkEnd(failures, expect, played);
  checkNotes(failures, expect.notes, played.own);
  return failures.all;
}

async function checkPrompt(
  failures: Failures,
  expected: TurnExpectations['prompt'],
  { played, snapshots, name }: { readonly played: PlayedTurn; readonly snapshots: Snapshots; readonly name: string },
): Promise<void> {
  if (expected === undefined) return;
  const { record, state } = played;
  const { text } = record.prompt;
  failures.contains(['prompt', 'contains'], 'the prompt', expected.contains, text);
  for (const [index, lacked] of listOf(expected.lacks).entries()) {
    if (!text.includes(lacked)) continue;
    const path = typeof expected.lacks === 'string' ? ['prompt', 'lacks'] : ['prompt', 'lacks', index];
    const origin = originsOf(state, record, lacked).map(originText)[0] ?? 'several parts';
    failures.add(path, { message: `the prompt contains this text (${origin})`, expected: '(not in the prompt)', actual: lacked });
  }
  for (const [index, { text: said, ...wanted }] of (expected.says ?? []).entries()) {
    const found = originsOf(state, record, said);
    const path = ['prompt', 'says', index];
    if (found.length === 0)
      failures.add(path, { message: 'the prompt does not contain this text', expected: said, actual: nearest(said, text) });
    else if (!found.some((origin) => isFrom(origin, wanted)))
      failures.add(path, {
        message: 'the text has another origin',
        expected: originText(wanted),
        actual: [...new Set(found.map(originText))].join('\n'),
      });
  }
  if (expected.snapshot === undefined || expected.snapshot === false) return;
  const problem = await snapshots.check(typeof expected.snapshot === 'string' ? expected.snapshot : name, promptDocument(record));
  if (problem !== undefined) failures.add(['prompt', 'snapshot'], problem);
}

function isFrom(origin: PromptOrigin, wanted: PromptOrigin): boolean {
  return (Object.keys(wanted) as (keyof PromptOrigin)[]).every((key) => origin[key] === wanted[key]);
}

/** Checks which observers fired in some turns. */
export function checkObservers(
  failures: Failures,
  expected: TurnExpectations['observers'],
  observers: PlayedTurn['record']['observers'],
): void {
  if (expected === undefined) return;
  const isList = Array.isArray(expected);
  const lists = isList
    ? { fired: expected as readonly string[] }
    : (expected as { fired?: readonly string[]; quiet?: readonly string[] });
  const fired = [...new Set(observers.filter((each) => each.fired).map(({ id }) => id))];
  const { fired: wanted = [], quiet = [] } = lists;
  for (const [index, id] of wanted.entries()) {
    if (fired.includes(id)) continue;
    const record = observers.find((each) => each.id === id);
    const why = record?.condition === undefined ? '' : `: its condition \`${record.condition}\` did not hold`;
    const path = isList ? ['observers', index] : ['observers', 'fired', index];
    failures.add(path, {
      message: `observer '${id}' did not fire${why}`,
      expected: id,
      actual: fired.join('\n') || '(none fired)',
    });
  }
  for (const [index, id] of quiet.entries())
    if (fired.includes(id))
      failures.add(['observers', 'quiet', index], {
        message: `observer '${id}' fired`,
        expected: `(${id} does not fire)`,
        actual: fired.join('\n'),
      });
}

function checkDecision(failures: Failures, expected: TurnExpectations, { record }: PlayedTurn): void {
  const { action, rules } = record.decision;
  if (expected.rule !== undefined && expected.rule !== (action?.ruleId ?? null)) {
    const trace = rules.map(({ id, matched, condition = 'always' }) => `${id}: ${matched ? 'matched' : 'false'} (${condition})`);
    failures.add(['rule'], {
      message: `another rule decided: ${trace.join('; ') || 'no rule was asked'}`,
      expected: expected.rule ?? '(no rule)',
      actual: action?.ruleId ?? '(no rule)',
    });
  }
  if (expected.action !== undefined) failures.equal(['action'], 'another action follows', expected.action, action?.type);
}

function checkTools(failures: Failures, expected: TurnExpectations['tools'], { record }: PlayedTurn): void {
  if (expected === undefined) return;
  for (const [index, tool] of (expected.offered ?? []).entries()) {
    if (record.tools.includes(tool)) continue;
    const meant = closestName(tool, record.tools);
    const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
    failures.add(['tools', 'offered', index], {
      message: `'${tool}' is not offered${hint}`,
      expected: tool,
      actual: record.tools.toSorted().join('\n') || '(no tools)',
    });
  }
  for (const [index, tool] of (expected.not_offered ?? []).entries())
    if (record.tools.includes(tool)) failures.add(['tools', 'not_offered', index], { message: `'${tool}' is offered` });
  if (expected.choice !== undefined)
    failures.equal(['tools', 'choice'], 'the tool choice is another one', expected.choice, record.toolChoice ?? 'auto');
}

/** Checks values of the state after the turn or run. */
export function checkState(
  failures: Failures,
  expected: TurnExpectations['state'],
  { state, record }: Pick<PlayedTurn, 'state'> & { readonly record: Pick<PlayedTurn['record'], 'agentId'> },
): void {
  const agent = state.agents.get(record.agentId);
  for (const [path, value = null] of Object.entries(expected ?? {})) {
    if (agent === undefined) continue;
    if (!isStatePath(path)) {
      failures.add(['state', path], { message: `'${path}' is no path of the state; paths begin with ${stateRoots.join(', ')}` });
      continue;
    }
    failures.equal(['state', path], `${path} has another value`, value, readStatePath(state, agent, path) ?? null);
  }
}

/** Longest text of an item in a failure. */
const longestItem = 300;

function checkPosted(failures: Failures, path: readonly (string | number)[], expected: ExpectedItem, played: PlayedTurn): void {
  const items = played.own.filter((event): event is EventOf<'inbox.add'> => event.type === 'inbox.add');
  const found = items.some(({ agentId, item }) => {
    const profile = played.state.agents.get(agentId)?.meta.profile;
    const text = itemText(played, agentId, item);
    return (
      item.source === expected.source &&
      (expected.to === undefined || expected.to === agentId || expected.to === profile) &&
      (expected.observer === undefined || expected.observer === item.observerId) &&
      (expected.rule === undefined || expected.rule === item.ruleId) &&
      listOf(expected.contains).every((wanted) => text.includes(wanted))
    );
  });
  if (found) return;
  const shown = items.map(({ agentId, item }) => {
    const by = item.observerId ?? item.ruleId;
    return `${item.source} to ${agentId}${by === undefined ? '' : ` by ${by}`}: ${itemText(played, agentId, item).slice(0, longestItem)}`;
  });
  const { source, to, contains, observer, rule } = expected;
  const by = observer ?? rule;
  failures.add(path, {
    message: 'no such item was posted',
    expected: `${source}${to === undefined ? '' : ` to ${to}`}${by === undefined ? '' : ` by ${by}`}: ${listOf(contains).join(' … ')}`,
    actual: shown.join('\n') || '(no item)',
  });
}

/** Payload of an item as a text, with the text definition of the reader that it names. */
function itemText({ set, state }: PlayedTurn, agentId: AgentId, { payload }: EventOf<'inbox.add'>['item']): string {
  const key = isJsonObject(payload) ? payload['content_key'] : undefined;
  const profile = set.profiles.get(state.agents.get(agentId)?.meta.profile ?? '');
  const named = typeof key === 'string' ? profile?.textDefinitions.get(key)?.source : undefined;
  return [searchText(payload), ...(named === undefined ? [] : [named])].join('\n');
}

function startedBy(events: readonly CadreEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'agent.start' ? [event.profile] : []));
}

function checkEnd(failures: Failures, expected: TurnExpectations, { own, record }: PlayedTurn): void {
  const end = own.find((event): event is EventOf<'agent.end'> => event.type === 'agent.end' && event.agentId === record.agentId);
  if (expected.end !== undefined && expected.end !== (end?.outcome ?? false))
    failures.add(['end'], {
      message: end === undefined ? 'the agent did not end' : 'the agent ended',
      expected: expected.end === false ? '(goes on)' : expected.end,
      actual: end === undefined ? '(goes on)' : `${end.outcome}${end.error === undefined ? '' : `: ${end.error.message}`}`,
    });
  failures.contains(['output'], 'the output', expected.output, end?.output ?? record.reply.text);
  failures.contains(['error'], 'the error', expected.error, end?.error?.message ?? record.error?.message ?? '');
}

/** Checks that notes with these codes were recorded. */
export function checkNotes(failures: Failures, expected: readonly string[] | undefined, events: readonly CadreEvent[]): void {
  const codes = [...new Set(events.flatMap((event) => (event.type === 'note.add' ? [event.code] : [])))];
  for (const [index, code] of (expected ?? []).entries())
    if (!codes.includes(code))
      failures.add(['notes', index], {
        message: `there is no note ${code}`,
        expected: code,
        actual: codes.join('\n') || '(no notes)',
      });
}
