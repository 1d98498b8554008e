import { serverInfo } from '../data/server-info.ts';
import { useRun, useView } from './run-context.ts';

/** Whether this run can be spoken to, decided about and ended from here: not in a file, not on a server that only reads, and not when it was read from a file. */
export function useControl(): boolean {
  const { isServed } = useRun();
  const isImported = useView((state) => state.meta.imported !== undefined).value ?? true;
  return isServed && !isImported && serverInfo.value?.canControl === true;
}
