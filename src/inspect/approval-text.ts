import { changedText } from '../core/state/capability.ts';
import type { PromptFacts } from '../core/prompt/prompt-sources.ts';
import type { ApprovalWait } from '../core/tool/wait-for.ts';

/** One thing a person must know before they let a call run. */
export interface ApprovalFact {
  readonly text: string;
  /** It calls for a closer look. */
  readonly isWarning: boolean;
}

/**
 * Lists facts a person needs for an approval besides the arguments: why it is asked again, the sandbox, untrusted text. May hold
 * untrusted names.
 */
export function approvalFacts({
  changed,
  sandbox,
  prompt,
}: Pick<ApprovalWait, 'changed' | 'sandbox' | 'prompt'>): readonly ApprovalFact[] {
  return [
    ...(changed === undefined ? [] : [{ text: `asked again, since ${changedText(changed)}`, isWarning: true }]),
    ...(sandbox === undefined
      ? []
      : [
          {
            text: sandbox === 'on' ? 'runs in the sandbox' : 'runs outside the sandbox, with all rights of this program',
            isWarning: sandbox === 'off',
          },
        ]),
    ...(prompt === undefined ? [] : [promptFact(prompt)]),
  ];
}

/** Joins the gate's message and all warnings about a call into one text. */
export function warningText(wait: Pick<ApprovalWait, 'message' | 'changed' | 'sandbox' | 'prompt'>): string {
  const warnings = approvalFacts(wait).flatMap(({ text, isWarning }) => (isWarning ? [text] : []));
  return [...(wait.message === undefined ? [] : [wait.message]), ...warnings].join('; ');
}

function promptFact({ untrusted, tainted }: PromptFacts): ApprovalFact {
  if (untrusted.length > 0) return { text: `untrusted text was in the prompt: ${untrusted.join(', ')}`, isWarning: true };
  if (tainted) return { text: 'untrusted text was read in this run; none was in the prompt', isWarning: true };
  return { text: 'no untrusted text was read in this run', isWarning: false };
}
