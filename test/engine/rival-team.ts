import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool, type TestTool } from '../support/tools.ts';

/** The profile of the team that several processes want to advance. */
export const rivalProfile = waitsForUser + allow('pay');

/** An unsafe tool that takes a while, and says when it begins and ends. */
export function rivalTools(log: (line: string) => void): readonly TestTool[] {
  return [
    tool('pay', async () => {
      log('begin');
      await new Promise((resolve) => setTimeout(resolve, 300));
      log('end');
      return 'paid';
    }),
  ];
}
