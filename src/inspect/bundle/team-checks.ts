import type { Patch } from '../../core/patches/patch.ts';
import type { DispatchRecord, WorkModule } from '../../core/team/work-module.ts';
import { check, json, list, map, nullable, number, oneOf, optional, record, text, time } from './check.ts';
import { id } from './part-checks.ts';

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
      record<WorkModule['context_archive'][number]>({
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
      record<WorkModule['assignee_history'][number]>({
        dispatch_id: text,
        agent_id: id,
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

/** A state patch. Folding the events shows whether it fits the state. */
export const patch = record<Patch>({
  op: oneOf('add', 'replace', 'remove'),
  path: list(check('a name or an index', (key) => typeof key === 'string' || Number.isSafeInteger(key))),
  value: optional(json),
});

/** Fields of a dispatch that an event may change. */
export const dispatchPatch = record<Partial<DispatchRecord>>({
  dispatch_id: optional(text),
  call_id: optional(text),
  module_id: optional(text),
  agent_id: optional(text),
  profile: optional(text),
  role_name: optional(text),
  status: optional(oneOf('QUEUED', 'RUNNING', 'COMPLETED_SUCCESS', 'COMPLETED_ERROR', 'CANCELLED')),
  started_at: optional(time),
  ended_at: optional(time),
  final_summary: optional(text),
  error_details: optional(json),
});
