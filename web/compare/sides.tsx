import type { ComponentChildren } from 'preact';

/** A fact of both sides. */
export interface SideRow {
  readonly name: string;
  readonly before: ComponentChildren;
  readonly after: ComponentChildren;
  readonly differs: boolean;
}

/** Facts of two runs or turns beside each other; those that differ are marked. */
export function Sides({ label, rows }: { readonly label: string; readonly rows: readonly SideRow[] }) {
  return (
    <table class="sides panel" aria-label={label}>
      <thead>
        <tr>
          <td />
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, before, after, differs }) => (
          <tr key={name} class={differs ? 'sides-differ' : ''}>
            <th scope="row">{name}</th>
            <td>{before}</td>
            <td>{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
