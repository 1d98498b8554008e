import type { JsonObject } from '../../core/json.ts';
import type { HandoverProtocol, InheritanceRule } from '../../core/profile/profile.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';

const source = { file: '(built in)', line: 1, column: 1 };

const titled = (title: string, type: string): JsonObject => ({ type, 'x-handover-title': title });

const moduleId = 'params.module_id_to_assign';

/** Inheritance that the caller of a dispatch requests by parameter, whatever the protocol says. */
const requestedInheritance: readonly InheritanceRule[] = [
  {
    pathToIterate: 'team.work_modules.{{module_id}}.context_archive[-1].messages',
    iterateOn: { module_id: 'params.inherit_messages_from' },
    payloadKey: 'inherited_messages',
    title: 'Messages from other modules',
  },
  {
    pathToIterate: 'team.work_modules.{{module_id}}.deliverables',
    iterateOn: { module_id: 'params.inherit_deliverables_from' },
    payloadKey: 'inherited_deliverables',
    title: 'Deliverables of other modules',
  },
];

/** Parameters a dispatch always hands over: shared context is given once, at the top of the call (D1.4). */
const dispatchParameters: JsonObject = {
  shared_context_for_all_assignments: titled('Shared context', 'string'),
  assignment_specific_instructions: titled('Instructions for this assignment', 'string'),
  assigned_role_name: titled('Your role', 'string'),
};

const associateBriefing: HandoverProtocol = {
  name: 'principal_to_associate_briefing',
  version: 'built-in',
  description: 'The briefing of an associate in runs that have no protocol of this name.',
  contextParameters: { type: 'object', properties: {} },
  inheritance: [
    {
      path: 'team.work_modules.{{module_id}}',
      replace: { module_id: moduleId },
      payloadKey: 'module_details',
      title: 'Your work module',
    },
    {
      path: 'team.work_modules.{{module_id}}.context_archive',
      replace: { module_id: moduleId },
      payloadKey: 'full_context_archive_for_rework',
      title: 'Earlier attempts at this module',
    },
  ],
  targetSource: 'AGENT_STARTUP_BRIEFING',
  source,
};

const principalBriefing: HandoverProtocol = {
  name: 'partner_to_principal_initial_briefing',
  version: 'built-in',
  description: 'The briefing of a principal in runs that have no protocol of this name.',
  contextParameters: {
    type: 'object',
    properties: {
      initial_briefing_for_principal: titled('Briefing', 'object'),
      confirmed_associate_profiles: titled('Your team', 'array'),
      new_directives_for_iteration: titled('New directives', 'object'),
    },
  },
  inheritance: [
    { path: 'team.work_modules', payloadKey: 'current_work_modules', title: 'Current plan (work modules)' },
    { path: 'state.messages', payloadKey: 'inherited_partner_messages', title: 'Conversation with the user' },
  ],
  targetSource: 'AGENT_STARTUP_BRIEFING',
  source,
};

/** Returns the protocol for briefing associates: the run's own, extended by the dispatch tool's parameters. */
export function associateProtocol(protocols: TransitionContext['protocols']): HandoverProtocol {
  const protocol = protocols.get(associateBriefing.name) ?? associateBriefing;
  const { properties } = protocol.contextParameters;
  const inherits = new Set(protocol.inheritance.map((rule) => rule.payloadKey));
  return {
    ...protocol,
    contextParameters: {
      ...protocol.contextParameters,
      properties: { ...dispatchParameters, ...(properties as JsonObject | undefined) },
    },
    inheritance: [...protocol.inheritance, ...requestedInheritance.filter((rule) => !inherits.has(rule.payloadKey))],
  };
}

/** Returns the protocol for briefing a principal: the run's own, or the built-in one. */
export function principalProtocol(protocols: TransitionContext['protocols']): HandoverProtocol {
  return protocols.get(principalBriefing.name) ?? principalBriefing;
}
