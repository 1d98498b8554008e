import type { JsonObject } from '../../core/json.ts';

const text = (description: string): JsonObject => ({ type: 'string', description });

/** Arguments of `launch_principal`; a run's handover protocol may add to the briefing. */
export const launchParameters: JsonObject = {
  type: 'object',
  required: ['iteration_mode'],
  properties: {
    iteration_mode: {
      type: 'string',
      enum: ['start_fresh', 'continue_from_previous'],
      description:
        'start_fresh starts a new principal on the current plan; continue_from_previous sends the last one into another iteration.',
    },
    force_terminate_and_relaunch: {
      type: 'boolean',
      default: false,
      description: 'Ends a principal that is running, and all its associates, before this one is launched.',
    },
    profile: text('The principal profile; "Principal" unless given.'),
    initial_briefing_for_principal: {
      type: 'object',
      required: ['user_query'],
      description: 'What the principal must know before it begins; needed to start fresh.',
      properties: {
        user_query: text("The user's question or goal, in the user's words."),
        notes_from_partner: text('What was agreed with the user, and how you understand the task.'),
        communication_language: text('The language the user writes in.'),
      },
    },
    confirmed_associate_profiles: {
      type: 'array',
      items: { type: 'string' },
      description: 'The associate profiles the principal may staff; leave it out to keep the team as it is.',
    },
    new_directives_for_iteration: {
      type: 'object',
      description: 'For continue_from_previous: what is different this time.',
      properties: {
        user_query_adjustment: text("How the user's question has changed."),
        additional_notes: text('Anything else the principal should heed.'),
      },
    },
  },
};

/** Parsed arguments of a launch. */
export interface LaunchArguments {
  readonly fresh: boolean;
  readonly force: boolean;
  readonly profile: string | undefined;
  readonly team: readonly string[] | undefined;
  /** Parameters passed to the principal: the arguments without the switches above. */
  readonly params: JsonObject;
}

/** Parses arguments that were checked against `launchParameters`. */
export function readLaunchArguments(args: JsonObject): LaunchArguments {
  const { iteration_mode, force_terminate_and_relaunch, profile, ...params } = args;
  const team = args['confirmed_associate_profiles'];
  return {
    fresh: iteration_mode === 'start_fresh',
    force: force_terminate_and_relaunch === true,
    profile: typeof profile === 'string' ? profile : undefined,
    team: Array.isArray(team) ? team.filter((name): name is string => typeof name === 'string') : undefined,
    params,
  };
}
