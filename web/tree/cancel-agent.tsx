import { useState } from 'preact/hooks';
import type { AgentNodeView } from '../../src/inspect/tree.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { runActions } from '../data/actions.ts';
import { Dialog } from '../kit/dialog.tsx';
import { lineOf } from '../kit/line-of.ts';
import { useAction } from '../kit/use-action.ts';

/** Asks for confirmation, then cancels an agent with all agents below it. */
export function CancelAgent(props: { readonly runId: string; readonly node: AgentNodeView; readonly onClose: () => void }) {
  const { runId, node, onClose } = props;
  const [reason, setReason] = useState('');
  const { run, isBusy, problem } = useAction();
  const below = liveBelow(node);
  const cancel = async (): Promise<void> => {
    await runActions(runId).cancel(reason.trim() === '' ? undefined : reason.trim(), node.agentId);
    onClose();
  };
  return (
    <Dialog title={`Cancel ${lineOf(node.agentId, 60)}?`} onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), run(cancel))}>
        <p>
          The agent{below === 0 ? '' : ` and ${countText(below, 'agent')} below it`} will stop and end. The agent that started it
          gets a notice.
        </p>
        <label class="field">
          <span>Reason (recorded in the journal)</span>
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Cancel the agent
          </button>
          {problem !== undefined && (
            <span role="alert" class="problem">
              {problem}
            </span>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function liveBelow(node: AgentNodeView): number {
  return node.children.reduce((sum, child) => sum + (child.status === 'ended' ? 0 : 1) + liveBelow(child), 0);
}
