import type { CodedObserver } from '../../core/env.ts';
import { isJsonObject } from '../../core/json.ts';

/**
 * Shows an agent the state of its browser for one turn: URL, title, tabs and the beginning of the last snapshot, as its last call left
 * them. The text is framed as external data.
 */
export const browserStateObserver: CodedObserver = {
  name: 'browser_state',
  observe: ({ agent }) => {
    const state = agent.values['browser'];
    return isJsonObject(state) ? [{ type: 'add_to_inbox', source: 'BROWSER_STATE', payload: state }] : [];
  },
};
