/** A thin bar for the used share of something, with a label for screen readers. `share` is 0 to 1, or more. */
export function Meter({ share, label }: { readonly share: number; readonly label: string }) {
  const used = Number.isFinite(share) ? Math.max(0, share) : 0;
  const tone = used >= 1 ? 'bad' : used >= 0.8 ? 'waits' : 'calm';
  return (
    <span
      class={`meter meter-${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round(used * 100))}
      title={label}
    >
      <span style={{ inlineSize: `${Math.min(1, used) * 100}%` }} />
    </span>
  );
}
