// Views whose script is loaded after the first one: see lazy-view.tsx.
export { TurnView } from '../turn/turn-view.tsx';
export { EventsView } from './events-view.tsx';
