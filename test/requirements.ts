import { agentFrameworkTables } from './requirements/agent-framework.ts';
import { angesTables } from './requirements/anges.ts';
import { agentTables } from './requirements/common-ground-agents.ts';
import { faultTables } from './requirements/common-ground-faults.ts';
import { teamTables } from './requirements/common-ground-teams.ts';
import { mergedRequirements } from './requirements/merged-list.ts';
import { openManusTables } from './requirements/open-manus.ts';
import { requirementsOf, type Requirement } from './requirements/requirement.ts';
import { seeingEyeTables } from './requirements/seeing-eye.ts';

/** Every row of the five systems’ checklists and of their merged list, and every fault of the first that must not come back. */
export const requirements: readonly Requirement[] = [
  ...requirementsOf([
    ...agentTables,
    ...teamTables,
    ...openManusTables,
    ...seeingEyeTables,
    ...agentFrameworkTables,
    ...angesTables,
    ...faultTables,
  ]),
  ...mergedRequirements,
];
