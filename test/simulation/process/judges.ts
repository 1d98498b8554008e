/*
 * What decisions of a simulated run are made again with: loaded as a second copy by `check-decisions.ts`, it shares no module with
 * any process.
 */
export { decideAgain, DecisionContexts, readBack } from '../../support/rebuild/decide-again.ts';
export { simIngestors } from '../team/sim-ingestors.ts';
export { simObservers } from '../team/sim-observers.ts';
export { simTools } from '../team/sim-tools.ts';
