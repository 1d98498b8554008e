import type { JsonObject } from '../../core/json.ts';
import type { ChangedLine, FileChange } from '../../core/tool/file-change.ts';
import type { ApprovalFact } from '../../inspect/approval-text.ts';
import type { CardField } from '../../inspect/requests/card-fields.ts';
import type { RequestCard } from '../../inspect/requests/request-card.ts';
import { pendingFields } from './run-schemas.ts';
import { flag, listOf, maybe, named, recordOf, text, texts } from './schema-record.ts';

/** Schemas of the cards of pending requests, by their names in the API's description. */
export const cardSchemas: Readonly<Record<string, JsonObject>> = {
  RequestCard: recordOf<RequestCard>({
    ...pendingFields,
    asks: { enum: ['call', 'tool', 'profile'], description: 'Who asks: a call that needs approval, a tool, or the profile.' },
    description: maybe({ type: 'string', description: "The tool's description, as the model read it." }),
    fields: { ...listOf(named('CardField')), description: "All arguments, in the order of the tool's schema." },
    changes: { ...listOf(named('FileChange')), description: 'What the call would do to files as they are now.' },
    facts: listOf(recordOf<ApprovalFact>({ text, isWarning: flag })),
  }),
  CardField: recordOf<CardField>({
    path: { type: 'string', description: 'Place in the arguments: `items[0].price`.' },
    name: text,
    title: maybe(text),
    description: maybe(text),
    format: maybe(text),
    isExtra: maybe({ const: true, description: "The tool's schema does not name the argument." }),
    value: {
      type: 'object',
      properties: {
        kind: { enum: ['text', 'code', 'plain', 'fields'] },
        text: { type: 'string', description: 'The value, whole; `plain` and JSON as JSON.' },
        language: { enum: ['sql', 'shell', 'python', 'javascript', 'code', 'json'] },
        fields: listOf(named('CardField')),
      },
      required: ['kind'],
    },
    origins: maybe({ ...texts, description: 'Untrusted sources with the same text.' }),
    notes: maybe({ ...texts, description: 'What a reader of the value would not notice.' }),
  }),
  FileChange: recordOf<FileChange>({
    path: text,
    kind: { enum: ['create', 'replace', 'edit', 'delete', 'move', 'unchanged'] },
    to: maybe({ type: 'string', description: 'The new path.' }),
    lines: listOf(recordOf<ChangedLine>({ kind: { enum: ['same', 'added', 'removed', 'gap', 'note'] }, text })),
    problem: maybe({ type: 'string', description: 'Why the call would fail, or what else a person must know of the change.' }),
  }),
};
