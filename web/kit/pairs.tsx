import type { ComponentChildren } from 'preact';

/** Names and values, one pair per row; pairs without a value are left out. */
export function Pairs({ pairs }: { readonly pairs: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="t-pairs">
      {Object.entries(pairs).map(([name, value]) =>
        value === undefined || value === '' || value === false ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
