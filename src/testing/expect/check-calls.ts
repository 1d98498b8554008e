import { contentText } from '../../core/prompt/message.ts';
import { gateText } from '../../inspect/format/turn/gate-text.ts';
import { decidingGate, gateResult } from '../../inspect/turn/turn-judgements.ts';
import type { TurnRecord } from '../../inspect/turn/turn-record.ts';
import type { ExpectedCall, ExpectedGate } from '../cases/test-case.ts';
import { Failures, listOf, nearest, textOf } from './failure.ts';
import { isSubset } from './is-subset.ts';

type Call = TurnRecord['toolInteractions'][number];

/** A tool call, with what only its run knows. */
export interface ActualCall {
  readonly call: Call;
  /** Profile of the calling agent. */
  readonly by: string;
}

/** Returns the calls of turns, in order. */
export function callsOf(records: readonly TurnRecord[]): readonly ActualCall[] {
  return records.flatMap(({ profile, toolInteractions }) => toolInteractions.map((call) => ({ call, by: profile })));
}

/** Checks that exactly these calls were made, in this order. */
export function checkAllCalls(
  failures: Failures,
  expected: readonly ExpectedCall[] | undefined,
  actual: readonly ActualCall[],
): void {
  if (expected === undefined) return;
  const [wanted, made] = [expected.map(({ tool }) => tool), actual.map(({ call }) => call.name)];
  if (wanted.join('\n') !== made.join('\n')) {
    failures.add(['tool_calls'], {
      message: 'other tools were called',
      expected: wanted.join('\n') || '(no call)',
      actual: made.join('\n') || '(no call)',
    });
    return;
  }
  for (const [index, call] of expected.entries()) {
    const found = actual[index];
    if (found !== undefined) checkCall(failures, ['tool_calls', index], call, found);
  }
}

/** Checks that these calls were made in this order, others among them. */
export function checkSomeCalls(
  failures: Failures,
  expected: readonly ExpectedCall[] | undefined,
  actual: readonly ActualCall[],
): void {
  let from = 0;
  for (const [index, call] of (expected ?? []).entries()) {
    const at = actual.findIndex((each, place) => place >= from && fits(call, each));
    if (at < 0) {
      const rest = actual.slice(from).map((each) => `${each.by}: ${each.call.name} ${JSON.stringify(each.call.args ?? null)}`);
      const message = `no such call was made${index === 0 ? '' : ` after number ${index}`}`;
      const wanted = `${call.by === undefined ? '' : `${call.by}: `}${call.tool} ${JSON.stringify(call.args ?? {})}`;
      failures.add(['calls', index], { message, expected: wanted, actual: rest.join('\n') || '(no call)' });
      return;
    }
    from = at + 1;
  }
}

function fits({ tool, args = {}, status, gate, gates = [], by, contains }: ExpectedCall, actual: ActualCall): boolean {
  return (
    actual.call.name === tool &&
    isSubset(args, actual.call.args ?? {}) &&
    (status === undefined || actual.call.status === status) &&
    (gate === undefined || decidingGate(actual.call.gates)?.id === gate) &&
    gates.every((expected) => judgedSo(actual.call, expected)) &&
    (by === undefined || actual.by === by) &&
    listOf(contains).every((text) => resultText(actual.call).includes(text))
  );
}

/** True when a gate judged a call as expected. */
function judgedSo({ gates }: Call, { id, result, values = {} }: ExpectedGate): boolean {
  const gate = gates.find((each) => each.id === id);
  return gate !== undefined && (result === undefined || gateResult(gate) === result) && isSubset(values, { ...gate.values });
}

function checkGates(failures: Failures, path: readonly (string | number)[], { gate, gates = [] }: ExpectedCall, call: Call): void {
  const decided = decidingGate(call.gates)?.id;
  if (gate !== undefined && gate !== decided)
    failures.add([...path, 'gate'], { message: 'another gate decided the call', expected: gate, actual: decided ?? '(no gate)' });
  for (const [index, expected] of gates.entries())
    if (!judgedSo(call, expected))
      failures.add([...path, 'gates', index], {
        message: `gate '${expected.id}' judged the call otherwise`,
        expected: textOf({ ...expected }),
        actual: call.gates.map(gateText).join('\n') || '(no gate)',
      });
}

function checkCall(failures: Failures, path: readonly (string | number)[], expected: ExpectedCall, actual: ActualCall): void {
  const { call } = actual;
  const { args, status, contains } = expected;
  if (args !== undefined && !isSubset(args, call.args ?? {}))
    failures.add([...path, 'args'], {
      message: `'${call.name}' was called with other arguments`,
      expected: textOf(args),
      actual: textOf(call.args),
    });
  if (status !== undefined && status !== call.status)
    failures.add([...path, 'status'], {
      message: `the call of '${call.name}' has another status${call.error === undefined ? '' : `: ${call.error.message}`}`,
      expected: status,
      actual: call.status,
    });
  checkGates(failures, path, expected, call);
  for (const text of listOf(contains))
    if (!resultText(call).includes(text))
      failures.add([...path, 'contains'], {
        message: `the result of '${call.name}' does not contain this text`,
        expected: text,
        actual: nearest(text, resultText(call)),
      });
}

function resultText({ content, error, waitFor }: Call): string {
  const asked = waitFor?.kind === 'approval' ? (waitFor.message ?? '') : waitFor?.kind === 'question' ? waitFor.prompt : '';
  return [content === undefined ? '' : contentText(content), error?.message ?? '', asked].filter((part) => part !== '').join('\n');
}
