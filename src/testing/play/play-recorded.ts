import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash } from '../../core/ids.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { contentRefs } from '../../inspect/content-refs.ts';
import { nameHint } from '../../profiles/wording.ts';
import type { CaseBody, GivenReply, GivenResult } from '../cases/test-case.ts';
import type { TestedProfiles } from './tested-profiles.ts';
import { playSeeded, replyOf } from './play-turn.ts';
import { type PlayedTurn, spanOf } from './played.ts';
import { findRecorded, type OpenRecords, type RecordedTurn } from './recorded-source.ts';
import { withoutImport } from '../../inspect/bundle.ts';

/** Where the recorded turn of a case is found. */
export interface RecordedPlace {
  readonly profile: string;
  /** Folder that paths of recordings are relative to. */
  readonly folder: string;
  readonly records: OpenRecords | undefined;
}

/** Takes a recorded turn again, with the present profiles: from the same journal, up to the moment before it began. */
export async function playRecorded(
  tested: TestedProfiles,
  body: CaseBody,
  { profile, folder, records }: RecordedPlace,
): Promise<PlayedTurn> {
  const { from = '' } = body.given ?? {};
  return await replayTurn(tested, await findRecorded(from, { folder, records }), { profile, body });
}

/** Takes a turn that was found in a recording again. Fails with PROFILE_UNKNOWN when it is one of another profile. */
export async function replayTurn(
  tested: TestedProfiles,
  { events, content, turn }: RecordedTurn,
  { profile, body }: { readonly profile: string; readonly body: Pick<CaseBody, 'reply' | 'results'> },
): Promise<PlayedTurn> {
  const { from } = spanOf(events, turn.turnId);
  const prefix = events.slice(0, from).map(withoutImport);
  const [first] = prefix;
  const agent = prefix.find((event) => event.type === 'agent.start' && event.agentId === turn.agentId);
  if (first?.type !== 'run.start' || agent?.type !== 'agent.start')
    throw new CadreError('TURN_UNKNOWN', `${turn.turnId} has no beginning in the recording`);
  if (agent.profile !== profile)
    throw new CadreError(
      'TURN_UNKNOWN',
      `${turn.turnId} is a turn of profile ${agent.profile}, and the case is about ${profile}; write profile: ${agent.profile}`,
    );
  checkProfiles(tested, prefix);
  const contents = [...contentRefs(prefix, content)].flatMap((hash: ContentHash) => {
    const text = content(hash);
    return text === undefined ? [] : [{ hash, text }];
  });
  const recorded = recordedReply(turn);
  const given = body.reply === undefined ? { recorded: true as const } : replyOf(body.reply);
  const { recorded: isRecorded, ...written } = given;
  const reply = isRecorded === true ? { ...recorded, ...written } : written;
  const seeded = { runId: first.runId, events: prefix, contents, agentId: turn.agentId };
  const results = [...(body.results ?? []), ...recordedResults(turn)];
  return await playSeeded(tested, seeded, { turns: [{ items: [], reply }], results, at: turn.start.at });
}

/** A recording of other profiles: an agent at work has none any more. */
function checkProfiles(tested: TestedProfiles, events: readonly CadreEvent[]): void {
  const ended = new Set(events.flatMap((event) => (event.type === 'agent.end' ? [event.agentId] : [])));
  const names = [...tested.set.profiles.keys()];
  for (const event of events)
    if (event.type === 'agent.start' && !ended.has(event.agentId) && !names.includes(event.profile))
      throw new CadreError(
        'TURN_UNKNOWN',
        `the recording is one of other profiles: ${event.agentId} is at work in it, and there is no profile '${event.profile}' (${nameHint(event.profile, names, 'there are')})`,
      );
}

/** Returns the reply of a recorded turn. */
export function recordedReply({ modelEnd }: TurnState): GivenReply {
  const { reply, error } = modelEnd ?? {};
  if (reply === undefined) return error === undefined ? {} : { error: error.message };
  return {
    text: reply.text,
    ...(reply.reasoning === '' ? {} : { reasoning: reply.reasoning }),
    ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls.map(({ name, input }) => ({ tool: name, input })) }),
    finish_reason: reply.finishReason,
  };
}

function recordedResults({ calls }: TurnState): readonly GivenResult[] {
  return calls.flatMap(({ request, end }): readonly GivenResult[] => {
    if (end === undefined) return [];
    const call = { tool: request.name, ...(request.args === null ? {} : { args: request.args }) };
    return [end.error === undefined ? { ...call, result: contentText(end.content) } : { ...call, error: end.error.message }];
  });
}
