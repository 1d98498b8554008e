import { useEffect, useState } from 'preact/hooks';
import type { RunOverview } from '../../src/inspect/run-overview.ts';
import { runActions } from '../data/actions.ts';
import type { Liveness } from '../data/liveness.ts';
import { missingRole } from '../data/server-info.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Menu } from '../kit/menu.tsx';
import { useAction } from '../kit/use-action.ts';
import { compareHref, runHref } from '../routing/route.ts';
import { go } from '../routing/router.ts';
import { useRun } from './page-run.ts';
import { useControl } from './use-control.ts';

/** Buttons for actions on the run as a whole. */
export function RunActions(props: { readonly overview: RunOverview; readonly liveness: Liveness | undefined }) {
  const { overview, liveness } = props;
  const { isServed } = useRun();
  const resuming = useAction();
  // The liveness arrives at intervals; after a resume, the page knows it earlier.
  const [isResumed, setResumed] = useState(false);
  useEffect(() => {
    if (liveness?.isAbandoned === false) setResumed(false);
  }, [liveness]);
  const resume = async (): Promise<void> => {
    await runActions(overview.runId).resume();
    setResumed(true);
  };
  const [asks, setAsks] = useState<'cancel' | 'fork' | undefined>();
  const canControl = useControl();
  const missing = missingRole('operate');
  const isOver = overview.outcome !== undefined;
  const canResume = canControl && !isOver && liveness?.isAbandoned === true && !isResumed;
  const base = `./api/runs/${encodeURIComponent(overview.runId)}`;
  return (
    <div class="run-actions">
      {canResume && overview.status === 'running' && (
        <button
          type="button"
          class="primary"
          disabled={resuming.isBusy || missing !== undefined}
          title={missing}
          onClick={() => resuming.run(resume)}
        >
          Resume
        </button>
      )}
      {canControl && !isOver && (
        <button type="button" class="danger" disabled={missing !== undefined} title={missing} onClick={() => setAsks('cancel')}>
          Cancel…
        </button>
      )}
      {resuming.problem !== undefined && (
        <span role="alert" class="problem">
          {resuming.problem}
        </span>
      )}
      <Menu label="More">
        {(close) => (
          <>
            {/* Nothing was interrupted: a message resumes the run by itself. */}
            {canResume && overview.status !== 'running' && (
              <button
                type="button"
                class="quiet"
                disabled={resuming.isBusy || missing !== undefined}
                title={missing}
                onClick={() => (close(), resuming.run(resume))}
              >
                Resume
              </button>
            )}
            {canControl && (
              <button
                type="button"
                class="quiet"
                disabled={missing !== undefined}
                title={missing}
                onClick={() => (close(), setAsks('fork'))}
              >
                Fork…
              </button>
            )}
            <CopyButton value={() => overview} />
            {isServed && (
              <>
                <a href={compareHref(overview.runId)}>compare with…</a>
                <a href={`${base}/export.html`} download>
                  export as one HTML file
                </a>
                <a href={`${base}/export.json`} download>
                  export as JSON
                </a>
                <a href={`${base}/journal`} download={`${overview.runId}.jsonl`}>
                  journal as JSON lines
                </a>
              </>
            )}
          </>
        )}
      </Menu>
      {asks === 'cancel' && <CancelDialog runId={overview.runId} onClose={() => setAsks(undefined)} />}
      {asks === 'fork' && <ForkDialog overview={overview} onClose={() => setAsks(undefined)} />}
    </div>
  );
}

function CancelDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const { run, isBusy, problem } = useAction();
  const cancel = async (): Promise<void> => {
    await runActions(runId).cancel(reason.trim() === '' ? undefined : reason.trim());
    onClose();
  };
  return (
    <Dialog title="Cancel this run?" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), run(cancel))}>
        <p>All its agents stop. A cancelled run cannot be resumed, only forked.</p>
        <label class="field">
          <span>Reason (recorded in the journal)</span>
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Cancel the run
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

function ForkDialog({ overview, onClose }: { readonly overview: RunOverview; readonly onClose: () => void }) {
  const [at, setAt] = useState(String(overview.lastSeq));
  const { run, isBusy, problem } = useAction();
  const fork = async (): Promise<void> => {
    const runId = await runActions(overview.runId).fork({ at: Number(at) });
    onClose();
    go(runHref(runId));
  };
  return (
    <Dialog title="Fork this run" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), run(fork))}>
        <p>Starts a new run with the history of this one up to an event (rounded down to the end of a turn).</p>
        <label class="field">
          <span>Last event to copy</span>
          <input
            type="number"
            min={1}
            max={overview.lastSeq}
            required
            value={at}
            onInput={({ currentTarget }) => setAt(currentTarget.value)}
          />
        </label>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Fork
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
