import type { Env } from '../../core/env.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Question, QuestionWait } from '../../core/tool/wait-for.ts';

/** Returns the question of a call as it is put before a person: with the hash of everything that is shown. */
export function toQuestionWait(env: Env, { request, args }: CallState, question: Question): QuestionWait {
  const { prompt, schema } = question;
  return { ...question, fingerprint: env.hash(JSON.stringify([request.name, args, prompt, schema ?? null])) };
}
