import { readWire } from './read-wire.ts';
import type { Recording } from './recordings.ts';
import type { Trial, Witness } from './sweep-team.ts';

/** What must hold of every stream, whatever happened to it; an empty list means all is well. `original` is what it was made of. */
export function judgeTrial(trial: Trial, original: Recording, witness: Witness): readonly string[] {
  return [...witness.problems, ...judgeCalls(trial, original, witness), ...judgeRecord(witness), ...judgeResult(witness)];
}

/**
 * No tool ran with arguments other than whole ones: those of the stream as it came, when that came to its end, or those of
 * the recording, when a provider package put the pieces together in spite of what was spoilt around them.
 */
function judgeCalls(trial: Trial, original: Recording, { ran }: Witness): readonly string[] {
  if (ran.length === 0) return [];
  const said = readWire(trial.protocol, trial.bytes);
  if (!said.ended) return [`${ran.length} call(s) of a reply that did not end ran: ${ran.map(({ args }) => args).join(' ')}`];
  const meant = original.calls.map(({ name, args }) => ({ name, parsed: parse(args) }));
  const left = said.calls.map(({ name, args }) => ({ name, args, parsed: parse(args) }));
  return ran.flatMap((call) => {
    const index = left.findIndex(
      ({ name, parsed }) => name === call.name && (parsed === call.args || (parsed === undefined && mayRepair(call))),
    );
    if (index !== -1) left.splice(index, 1);
    else if (!meant.some(({ name, parsed }) => name === call.name && parsed === call.args))
      return [`${call.name}(${call.args}) ran, but the reply says ${left.map(({ args }) => args).join(' or ')}`];
    return [];
  });
}

/** Only what changes nothing may run on repaired text, and it is on record that it did. */
function mayRepair(call: Witness['ran'][number]): boolean {
  return call.name === 'look' && call.repaired;
}

function parse(args: string): string | undefined {
  try {
    return args.trim() === '' ? '{}' : JSON.stringify(JSON.parse(args) ?? {});
  } catch {
    return undefined;
  }
}

/** Every request is an attempt on record, and every one that was not the last of its call says why it failed. */
function judgeRecord({ events, requests }: Witness): readonly string[] {
  const ends = events.filter((event) => event.type === 'model.end');
  const attempts = ends.flatMap((end) => end.attempts);
  const silent = ends
    .flatMap((end) => (end.error === undefined ? end.attempts.slice(0, -1) : end.attempts))
    .filter(({ error }) => error === undefined);
  return [
    ...(attempts.length === requests ? [] : [`${requests} request(s), ${attempts.length} attempt(s) on record`]),
    ...(silent.length === 0 ? [] : [`${silent.length} failed attempt(s) without a reason`]),
  ];
}

/** The run ended: in a success that says something, or in an error with a code. */
function judgeResult({ status, output, errorCode }: Witness): readonly string[] {
  if (status === 'completed') return output.trim() === '' ? ['an empty answer counts as success'] : [];
  return errorCode === undefined ? [`the run ended as ${status} without an error code`] : [];
}
