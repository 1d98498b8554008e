import type { ComponentChildren } from 'preact';
import { useKeys } from './keys.ts';
import { goingUp, type RowsOptions, useVirtualRows } from './virtual-rows.ts';
import './virtual-list.css';

/** A column: its title, a class for its width and place, and its cells. */
export interface Column<Row> {
  readonly title: string;
  readonly class: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Properties of a table. Its class sets the column widths with `grid-template-columns`. */
export interface VirtualTableProps<Row> extends Omit<RowsOptions, 'count' | 'keyOf'> {
  readonly label: string;
  readonly class: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly rowClass?: (row: Row) => string;
  /** Name of a row, in the description of the keys j and k. */
  readonly noun: string;
  readonly onScrollUp?: () => void;
}

/** A table of any length: only the rows in view are rendered. Each row has one link, and j and k move between them. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, class: name, columns, rows, rowClass, noun, onScrollUp } = props;
  const keyOf = (index: number): string => {
    const row = rows[index];
    return row === undefined ? String(index) : props.keyOf(row);
  };
  const { scroller, virtual, move } = useVirtualRows({ ...props, count: rows.length, keyOf });
  useKeys([
    { keys: 'j', does: `next ${noun}`, run: () => move(1) },
    { keys: 'k', does: `${noun} before`, run: () => move(-1) },
  ]);
  return (
    <div class={`table ${name}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column.title} role="columnheader" class={column.class}>
            {column.title}
          </span>
        ))}
      </div>
      <div ref={scroller} class="virtual" role="rowgroup" tabIndex={-1} {...goingUp(onScrollUp)}>
        <div class="virtual-all" role="presentation" style={{ height: `${virtual.totalHeight}px` }}>
          {virtual.rows().map((item) => {
            const row = rows[item.index];
            return row === undefined ? null : (
              <div
                key={item.key}
                ref={virtual.measure}
                class={`virtual-row table-row ${rowClass?.(row) ?? ''}`}
                role="row"
                aria-rowindex={item.index + 2}
                data-index={item.index}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {columns.map((column) => (
                  <span key={column.title} role="cell" class={column.class}>
                    {column.cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
