import type { AskingId } from '../ids.ts';
import type { QuestionWait, ApprovalWait } from '../tool/wait-for.ts';
import { askingId, readAskingId } from './asking.ts';
import { isAsking } from './is-asking.ts';
import type { OwnQuestion } from './own-question.ts';
import type { RunContext } from './run-context.ts';
import type { SubContext } from './sub-context.ts';
import type { CallState } from './turn-state.ts';

/** An asking that waits for a person: of a call, or of an agent's profile. */
export type OpenAsking =
  | {
      readonly kind: 'call';
      readonly id: AskingId;
      readonly seq: number;
      readonly agent: SubContext;
      readonly call: CallState;
      readonly waitFor: QuestionWait | ApprovalWait;
    }
  | {
      readonly kind: 'own';
      readonly id: AskingId;
      readonly seq: number;
      readonly agent: SubContext;
      readonly question: OwnQuestion;
    };

/** Returns every asking of a run that waits for a person, at any depth of the agent tree. */
export function openAskings({ meta, agents }: RunContext): readonly OpenAsking[] {
  const open: OpenAsking[] = [];
  for (const agent of agents.values()) {
    const { question } = agent.turn;
    if (question !== undefined && isAsking(agent))
      open.push({ kind: 'own', id: askingId(meta, question), seq: question.seq, agent, question });
    for (const call of agent.calls.open.values()) {
      const { waitFor, waitSeq: seq } = call;
      if (call.status !== 'suspended' || seq === undefined || waitFor === undefined || waitFor.kind === 'agents') continue;
      const { fingerprint } = waitFor.kind === 'question' ? waitFor : waitFor.capability;
      open.push({ kind: 'call', id: askingId(meta, { seq, fingerprint }), seq, agent, call, waitFor });
    }
  }
  return open;
}

/** Returns the asking of this id, as long as it waits for a person. */
export function openAsking(run: RunContext, id: string): OpenAsking | undefined {
  return readAskingId(run.meta, id)?.isOfRun === true ? openAskings(run).find((asking) => asking.id === id) : undefined;
}
