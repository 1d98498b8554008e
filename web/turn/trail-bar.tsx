import { safe } from '../kit/safe.ts';
import { backTo, forgetTrail, trail } from './trail.ts';

/** The trail of followed links, with links back. */
export function TrailBar() {
  if (trail.value.length === 0) return null;
  return (
    <nav class="t-trail small" aria-label="Trail of links">
      {trail.value.map((step) => (
        <>
          <a href={step.href} onClick={() => backTo(step)}>
            {safe(step.label, 120)}
          </a>{' '}
          <span aria-hidden="true" class="faint">
            ›
          </span>{' '}
        </>
      ))}
      <span class="faint">here</span>
      <button type="button" class="quiet" onClick={forgetTrail} aria-label="Clear the trail of links">
        ✕
      </button>
    </nav>
  );
}
