import { defineTool } from 'cadre';
import { departures } from './departures.ts';

/** Options of the toolset. */
interface Options {
  readonly most?: number;
}

/** Creates the tools from the options of the toolset; called once. The default export may also be a tool or a list of tools. */
export default ({ most = 3 }: Options) =>
  defineTool({
    name: 'find_departures',
    description: 'Says when the next trains leave a station.',
    effect: 'pure',
    // The timetable is our own, so its text is trusted.
    trust: 'trusted',
    parameters: {
      type: 'object',
      properties: { station: { type: 'string', description: 'The name of the station.' } },
      required: ['station'],
    },
    execute: ({ station }) => {
      const found = departures[String(station)];
      // A thrown error becomes an error result, which the model reads.
      if (found === undefined)
        throw new Error(`there is no station '${String(station)}'; there are ${Object.keys(departures).join(', ')}`);
      return `From ${String(station)}: ${found.slice(0, most).join(', ')}.`;
    },
  });
