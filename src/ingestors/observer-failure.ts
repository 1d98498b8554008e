import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject } from '../core/json.ts';
import { withoutTag } from './text/wrapper-tags.ts';

const tag = 'system_error';

/** Reports a failed observer to the model, with advice on how to proceed (A1.4). */
export const observerFailure: Ingestor = {
  name: 'observer_failure',
  ingest: (payload) => {
    const fields = isJsonObject(payload) ? payload : { error_message: payload };
    const id = fields['failed_observer_id'];
    const error = fields['error_message'];
    const which = typeof id === 'string' && id !== '' ? `The observer '${id}'` : 'An observer';
    const why = typeof error === 'string' ? error : JSON.stringify(error ?? 'no reason was given');
    const body = withoutTag(`${which} failed: ${why}`, tag);
    return `<${tag} context_source='internal_observer'>\n${body}\nWhat it would have told you is missing in this turn. Mention it to the user if it matters for them, and go on with your task; do not stop because of it.\n</${tag}>`;
  },
};
