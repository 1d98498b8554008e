import * as fc from 'fast-check';

/*
 * Property tests of one commit see the same cases each time: a case that fails tells of a change. New ones are looked for by
 * `npm run test:sweeps`, whose seeds are random; a failure there names its seed.
 */
if (process.env['SWEEPS'] !== 'all') fc.configureGlobal({ seed: 20_261_128 });
