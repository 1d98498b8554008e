import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { safe } from '../kit/safe.ts';

/** A decision about a call, and why it cannot be made yet. */
export interface DecideCallProps {
  readonly tool: string;
  /** True when the call's effect may not be undone, and cannot be checked: approving it takes two steps. */
  readonly isUnsafe: boolean;
  readonly label: string;
  /** True once the person could read everything that the verdict covers. */
  readonly isRead: boolean;
  /** True while a verdict is sent, or when the arguments cannot be used. */
  readonly isBlocked: boolean;
  readonly onApprove: () => void;
}

/**
 * Button that approves a call, disabled until the card was read. For an `unsafe` call, it only asks: "Back" takes its place and its focus,
 * and the button that runs the call is on the line below. So neither a double click, nor a held key, nor a second tap on the
 * same spot can approve.
 */
export function DecideCall(props: DecideCallProps) {
  const { tool, isUnsafe, label, isRead, isBlocked, onApprove } = props;
  const [isAsked, setAsked] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  // Before the paint: a key in between would go nowhere.
  useLayoutEffect(() => {
    if (wasAsked.current !== isAsked) first.current?.focus({ preventScroll: true });
    wasAsked.current = isAsked;
  }, [isAsked]);
  // A second click of a double click belongs to what stood there before.
  const once = (act: () => void) => (event: MouseEvent) => {
    if (event.detail <= 1) act();
  };
  if (!isAsked)
    return (
      <button
        key="first"
        ref={first}
        type="button"
        class="primary decide-first"
        disabled={!isRead || isBlocked}
        onClick={once(() => (isUnsafe ? setAsked(true) : onApprove()))}
      >
        {label}
      </button>
    );
  const back = (): void => setAsked(false);
  return (
    <div
      class="decide-sure"
      role="group"
      aria-label={`Run ${safe(tool, 80)}?`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        back();
      }}
    >
      <button key="back" ref={first} type="button" class="decide-first" onClick={once(back)}>
        Back
      </button>
      <p class="small decide-question" role="status">
        {safe(tool, 80)} may do what cannot be undone.
      </p>
      <button type="button" class="primary" disabled={!isRead || isBlocked} onClick={once(onApprove)}>
        Yes, run {safe(tool, 80)}(…)
      </button>
    </div>
  );
}
