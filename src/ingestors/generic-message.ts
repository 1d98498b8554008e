import type { Ingestor } from '../core/inbox/ingestor.ts';
import { renderMarkdown } from './text/markdown.ts';
import { templateOf } from './text/templates.ts';

/**
 * `params.content_template` with `{{ payload }}` and `{{ payload.key }}` filled in (A1.4). Without a template the payload
 * itself: a text as it is, data as Markdown.
 */
export const genericMessage: Ingestor = {
  name: 'generic_message',
  ingest: (payload, params, view) => {
    const template = params['content_template'];
    if (typeof template === 'string') return view.render(templateOf(template), payload);
    return typeof payload === 'string' ? payload : renderMarkdown(payload);
  },
};
