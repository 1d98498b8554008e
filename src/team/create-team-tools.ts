import { CadreError } from '../core/error.ts';
import type { Tool } from '../core/tool/tool.ts';
import { callAgent, callAgents } from './agents/call-agent.ts';
import { dispatchSubmodules } from './dispatch/dispatch-submodules.ts';
import { finishFlow } from './reports/finish-flow.ts';
import { generateMarkdownReport } from './reports/generate-markdown-report.ts';
import { generateMessageSummary } from './reports/generate-message-summary.ts';
import { getPrincipalStatus } from './principal/get-principal-status.ts';
import { launchPrincipal } from './principal/launch-principal.ts';
import { manageWorkModules } from './modules/manage-work-modules.ts';
import { sendDirective } from './principal/send-directive.ts';

/** Settings of the team tools. */
export interface TeamToolOptions {
  /** Maximum number of associates of one agent at work at the same time; others are held until one ends. Default 8. */
  readonly maxParallel?: number;
}

/**
 * Creates the tools by which agents plan, staff, watch and end work. All are pure functions of a run's state.
 *
 * @throws CadreError `OPTION_INVALID` when `maxParallel` is not a whole number of at least 1
 */
export function createTeamTools(options: TeamToolOptions = {}): readonly Tool[] {
  const { maxParallel = 8 } = options;
  if (!Number.isInteger(maxParallel) || maxParallel < 1) {
    throw new CadreError('OPTION_INVALID', `team tools: maxParallel is ${maxParallel}; it must be a whole number of at least 1`);
  }
  return [
    manageWorkModules(),
    dispatchSubmodules(maxParallel),
    launchPrincipal(),
    getPrincipalStatus(),
    sendDirective(),
    finishFlow(),
    generateMessageSummary(),
    generateMarkdownReport(),
    callAgent(),
    callAgents(),
  ];
}
