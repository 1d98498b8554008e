import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { tree, type AgentNodeView } from '../../src/inspect/tree.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { missingRole, serverInfo } from '../data/server-info.ts';
import { SearchField } from '../kit/search-field.tsx';
import { useVirtualRows } from '../kit/virtual-rows.ts';
import { runHref, type RouteQuery } from '../routing/route.ts';
import { go, setQuery } from '../routing/router.ts';
import { useRun, useView } from '../run/page-run.ts';
import { AgentRow, columns } from './agent-row.tsx';
import { CancelAgent } from './cancel-agent.tsx';
import { rowThatBegins, treeMove, treeRows, type TreeRow } from './tree-rows.ts';
import './tree.css';

/** Tree of the run's agents. */
export function TreeView({ query }: { readonly query: RouteQuery }) {
  const { profiles } = useRun();
  const roots = useView((state, store) => tree(state, store.profiles), [profiles]).value;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const filter = query['q'] ?? '';
  const rows = useMemo(() => treeRows(roots ?? [], closed, filter), [roots, closed, filter]);
  if (roots === undefined) return null;
  if (roots.length === 0) return <p class="faint empty">No agent has been started yet.</p>;
  const toggle = (agentId: string): void => {
    const next = new Set(closed);
    if (!next.delete(agentId)) next.add(agentId);
    setClosed(next);
  };
  const parents = rows.filter(({ node }) => node.children.length > 0);
  return (
    <div class="tree">
      <div class="tree-bar">
        <SearchField label="Filter agents" value={filter} onChange={(q) => setQuery({ q })} />
        <button type="button" onClick={() => setClosed(new Set())} disabled={closed.size === 0}>
          open all
        </button>
        <button
          type="button"
          onClick={() => setClosed(new Set(parents.map(({ node }) => node.agentId)))}
          disabled={parents.every(({ isOpen }) => !isOpen)}
        >
          close all
        </button>
        <span class="faint number" role="status">
          {filter === '' ? countText(countAgents(roots), 'agent') : `${countText(rows.length, 'agent')} of ${countAgents(roots)}`}
        </span>
      </div>
      <Grid rows={rows} toggle={toggle} named={query['agent']} />
    </div>
  );
}

function Grid(props: {
  readonly rows: readonly TreeRow[];
  readonly toggle: (agentId: string) => void;
  readonly named: string | undefined;
}) {
  const { rows, toggle, named } = props;
  const { runId, isServed } = useRun();
  const canControl = isServed && serverInfo.value?.canControl === true && missingRole('operate') === undefined;
  const [current, setCurrent] = useState(named);
  const [cancels, setCancels] = useState<AgentNodeView>();
  const typed = useRef({ text: '', at: 0 });
  const toFocus = useRef<number | undefined>(undefined);
  const indexOf = (agentId: string | undefined): number => rows.findIndex(({ node }) => node.agentId === agentId);
  const at = Math.max(0, indexOf(current));
  const { scroller, virtual } = useVirtualRows({
    count: rows.length,
    estimate: 48,
    keyOf: (index) => rows[index]?.node.agentId ?? String(index),
    // The focused row stays rendered when it is scrolled out of view.
    pinned: at,
    scrollTo: useMemo(() => (named === undefined ? undefined : indexOf(named)), [named]),
  });
  useLayoutEffect(() => {
    const index = toFocus.current;
    const row = index === undefined ? null : scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (row === null || row === undefined) return;
    toFocus.current = undefined;
    row.focus({ preventScroll: true });
  });
  const goToRow = (index: number): void => {
    toFocus.current = index;
    setCurrent(rows[index]?.node.agentId);
    virtual.scrollTo(index, 'auto');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isRow = event.target instanceof HTMLElement && event.target.getAttribute('role') === 'row';
    if (!isRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(rows, at, event.key);
    const agentId = rows[at]?.node.agentId ?? '';
    if (move === undefined) {
      if (event.key === 'Enter') go(runHref(runId, 'turns', { agent: agentId }));
      else if (/^[\p{L}\p{N}_]$/u.test(event.key)) {
        const text = event.timeStamp - typed.current.at < 700 ? typed.current.text + event.key : event.key;
        typed.current = { text, at: event.timeStamp };
        const found = rowThatBegins(rows, at, text);
        if (found === undefined) return;
        goToRow(found);
      } else if (!event.key.startsWith('Arrow')) return;
    } else if ('to' in move) goToRow(move.to);
    else toggle(move.toggle);
    event.preventDefault();
  };
  return (
    <div class="table agents" role="treegrid" aria-label="Agents" aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map(([name, className]) => (
          <span key={name} role="columnheader" class={className}>
            {name === '' ? <span class="seen-by-readers">actions</span> : name}
          </span>
        ))}
      </div>
      <div ref={scroller} class="virtual" role="rowgroup" tabIndex={-1}>
        <div class="virtual-all" role="presentation" style={{ height: `${virtual.totalHeight}px` }}>
          {virtual.rows().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const { node, level, place, siblings, isOpen } = row;
            return (
              <div
                key={item.key}
                ref={virtual.measure}
                class={`virtual-row table-row ${node.agentId === named ? 'is-named' : ''}`}
                role="row"
                tabIndex={item.index === at ? 0 : -1}
                aria-level={level}
                aria-posinset={place}
                aria-setsize={siblings}
                aria-rowindex={item.index + 2}
                aria-expanded={node.children.length === 0 ? undefined : isOpen}
                data-index={item.index}
                data-agent={node.agentId}
                style={{ transform: `translateY(${item.start}px)` }}
                onFocusIn={() => setCurrent(node.agentId)}
              >
                <AgentRow
                  row={row}
                  runId={runId}
                  isCurrent={item.index === at}
                  toggle={() => toggle(node.agentId)}
                  cancel={canControl ? () => setCancels(node) : undefined}
                />
              </div>
            );
          })}
        </div>
      </div>
      {cancels !== undefined && <CancelAgent runId={runId} node={cancels} onClose={() => setCancels(undefined)} />}
    </div>
  );
}

function countAgents(nodes: readonly AgentNodeView[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countAgents(children), 0);
}
