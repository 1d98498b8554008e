import { toTerminalLine } from './terminal-text.ts';

/** Puts terminal styles around text that is already safe; each function returns the text with or without codes. */
export interface TextStyle {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const asItIs = (text: string): string => text;

/** No styles at all: for pipes and files. */
export const plainStyle: TextStyle = {
  bold: asItIs,
  dim: asItIs,
  italic: asItIs,
  underline: asItIs,
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  cyan: asItIs,
};

/** Options that all renderers take. */
export interface FormatOptions {
  readonly style?: TextStyle;
  /** Show texts whole, line by line, instead of their first lines. */
  readonly full?: boolean;
  /** Columns that every line is wrapped to; unlimited when absent. */
  readonly width?: number | undefined;
  /** Lay out the Markdown of agents' and people's words; when absent, they are shown as written. */
  readonly markdown?: boolean;
}

/** Colours a status word by its meaning; makes an unknown status, as in foreign journals, safe. */
export function styledStatus(style: TextStyle, status: string): string {
  switch (status) {
    case 'ok':
    case 'completed':
    case 'success':
    case 'completed_success':
      return style.green(status);
    case 'error':
    case 'failed':
    case 'timeout':
    case 'denied':
    case 'unknown':
    case 'interrupted':
    case 'completed_error':
    case 'limit':
      return style.red(status);
    case 'running':
    case 'in_turn':
    case 'awaiting_tools':
    case 'ongoing':
      return style.cyan(status);
    case 'suspended':
    case 'awaiting':
    case 'waits for you':
    case 'awaiting_input':
    case 'held':
    case 'pending_review':
    case 'cancelled':
      return style.yellow(status);
    default:
      return toTerminalLine(status);
  }
}
