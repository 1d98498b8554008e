import { Option } from 'commander';
import type { ExitCode } from './exit-code.ts';

/** Called with the exit code of the command that was run. */
export type Done = (code: ExitCode) => void;

/** Which journal. */
export const storeOption = (): Option => new Option('--store <path>', 'the journal (default: .cadre/journal.db)');

/** Whether output has colours. */
export const colorOption = (): Option => new Option('--no-color', 'no colours (also: NO_COLOR=1)');
