import { defineTool } from 'cadre';
import { departures } from './departures.ts';

/** What the toolset says below `options`. */
interface Options {
  readonly most?: number;
}

/** Called once with the options of the toolset; a tool, or a list of tools, would do as a default export as well. */
export default ({ most = 3 }: Options) =>
  defineTool({
    name: 'find_departures',
    description: 'Says when the next trains leave a station.',
    effect: 'pure',
    // The timetable is our own: what it says is no text from outside.
    trust: 'trusted',
    parameters: {
      type: 'object',
      properties: { station: { type: 'string', description: 'The name of the station.' } },
      required: ['station'],
    },
    execute: ({ station }) => {
      const found = departures[String(station)];
      // What a tool throws is an error result, which the model reads.
      if (found === undefined)
        throw new Error(`there is no station '${String(station)}'; there are ${Object.keys(departures).join(', ')}`);
      return `From ${String(station)}: ${found.slice(0, most).join(', ')}.`;
    },
  });
