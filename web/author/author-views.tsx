// Views for authors of profiles, whose script is loaded when one is opened: see run/lazy-view.tsx.
export { ComparePage } from '../compare/compare-page.tsx';
export { CoveragePage } from '../coverage/coverage-page.tsx';
