import { missingRole, serverInfo } from '../data/server-info.ts';
import { useRun, useView } from './page-run.ts';

/** True when the user may decide requests: their role on the server allows it. */
export function useDecision(): boolean {
  const canControl = useControl();
  return canControl && missingRole('approve') === undefined;
}

/** True when the page may send messages, decide requests and cancel: false in a file, on a read-only server, and for an imported run. */
export function useControl(): boolean {
  const { isServed } = useRun();
  const isImported = useView((state) => state.meta.imported !== undefined).value ?? true;
  return isServed && !isImported && serverInfo.value?.canControl === true;
}
