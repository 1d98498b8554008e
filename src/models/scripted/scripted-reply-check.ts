import { closestName } from '../../core/expression/closest-name.ts';
import type { ScriptedReply } from './scripted-reply.ts';

const fields: Readonly<Record<keyof ScriptedReply, true>> = {
  text: true,
  reasoning: true,
  toolCalls: true,
  finishReason: true,
  usage: true,
  error: true,
  cutAfter: true,
  cutWith: true,
  hang: true,
  ignoreAbort: true,
  delayMs: true,
  parts: true,
};

/**
 * Converts a text or object to a reply. `where` names it in messages: `reply 2`.
 *
 * @throws TypeError for an invalid reply or unknown fields: a double that answers nothing by mistake would let a test pass or fail
 * for another reason
 */
export function toScriptedReply(reply: unknown, where: string): ScriptedReply {
  if (typeof reply === 'string') return { text: reply };
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply))
    throw unusable(`${where} of the scripted model is ${reply === null ? 'null' : typeof reply}; a reply is a text or an object`);
  for (const field of Object.keys(reply))
    if (!Object.hasOwn(fields, field)) {
      const meant = closestName(field, Object.keys(fields));
      const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
      throw unusable(
        `${where} of the scripted model has a field '${field}'${hint}; a reply has any of ${Object.keys(fields).join(', ')}`,
      );
    }
  return reply;
}

function unusable(message: string): TypeError {
  // A retry would give the same.
  return Object.assign(new TypeError(message), { isRetryable: false });
}
