import type { Patch } from '../patches/patch.ts';
import { list, nullable, optional, record } from '../schema/records.ts';
import type { Schema } from '../schema/schema.ts';
import { condition, json, map, number, oneOf, text, time } from '../schema/values.ts';
import type { Assignment, DispatchRecord, ModuleArchive, WorkModule } from '../team/work-module.ts';
import { agentId, callId, id } from './common-parts.ts';

/** Fields of a work module that an event may change. */
export const modulePatch = record<Partial<WorkModule>>({
  module_id: optional(id),
  name: optional(text),
  description: optional(text),
  status: optional(oneOf('pending', 'ongoing', 'pending_review', 'completed', 'deprecated')),
  notes_from_principal: optional(text),
  depends_on: optional(list(text)),
  executor: optional(text),
  deliverables: optional(map),
  context_archive: optional(
    list(
      record<ModuleArchive>({
        dispatch_id: text,
        archived_at: time,
        agent_id: text,
        message_count: number,
        deliverables: map,
      }),
    ),
  ),
  assignee_history: optional(
    list(
      record<Assignment>({
        dispatch_id: text,
        agent_id: agentId,
        started_at: time,
        ended_at: optional(time),
        outcome: oneOf('running', 'completed_success', 'completed_error', 'cancelled'),
      }),
    ),
  ),
  review_info: optional(nullable(map)),
  created_at: optional(time),
  updated_at: optional(time),
});

/** Fields of a dispatch that an event may change. */
export const dispatchPatch = record<Partial<DispatchRecord>>({
  dispatch_id: optional(text),
  call_id: optional(callId),
  module_id: optional(text),
  agent_id: optional(agentId),
  profile: optional(text),
  role_name: optional(text),
  status: optional(oneOf('QUEUED', 'RUNNING', 'COMPLETED_SUCCESS', 'COMPLETED_ERROR', 'CANCELLED')),
  started_at: optional(time),
  ended_at: optional(time),
  final_summary: optional(text),
  error_details: optional(json),
});

const pathKey: Schema<string | number> = {
  form: { kind: 'either', first: text, second: number },
  check: condition('a name or an index', (key) => typeof key === 'string' || Number.isSafeInteger(key)),
};

/** A state patch. Folding the events shows whether it fits the state. */
export const patch = record<Patch>(
  { op: oneOf('add', 'replace', 'remove'), path: list(pathKey), value: optional(json) },
  { op: 'o', path: 'w', value: 'v' },
);
