import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { lineOf } from '../kit/line-of.ts';
import { Name } from '../kit/name.tsx';
import { runHref } from '../routing/route.ts';
import { ContextCell, CostCell, DoingCell, StatusCell, TokensCell } from './agent-cells.tsx';
import type { TreeRow } from './tree-rows.ts';

/** Columns of the tree, and the CSS classes of their cells. */
export const columns = [
  ['agent', 'tree-agent'],
  ['status', 'tree-status'],
  ['doing', 'tree-doing'],
  ['turns', 'tree-turns number'],
  ['calls', 'tree-calls number'],
  ['context', 'tree-context number'],
  ['tokens in / out', 'tree-tokens number'],
  ['cost', 'tree-cost number'],
  ['', 'tree-actions'],
] as const;

/** Row of one agent. */
export function AgentRow(props: {
  readonly row: TreeRow;
  readonly runId: string;
  readonly isCurrent: boolean;
  readonly toggle: () => void;
  /** Absent where agents cannot be cancelled. */
  readonly cancel: (() => void) | undefined;
}) {
  const { row, runId, isCurrent, toggle, cancel } = props;
  const { node, level, isOpen } = row;
  const stop = isCurrent ? 0 : -1;
  const cells = [
    <AgentCell row={row} runId={runId} isOpen={isOpen} level={level} stop={stop} toggle={toggle} />,
    <StatusCell node={node} />,
    <DoingCell node={node} />,
    <>{grouped(node.turns)}</>,
    <>{grouped(node.toolCalls)}</>,
    <ContextCell node={node} />,
    <TokensCell node={node} />,
    <CostCell node={node} />,
    <>
      <a
        href={runHref(runId, 'timeline', { agent: node.agentId })}
        tabIndex={stop}
        aria-label={`timeline row of ${lineOf(node.agentId, 60)}`}
      >
        timeline
      </a>
      {cancel !== undefined && node.status !== 'ended' && (
        <button
          type="button"
          class="quiet danger"
          tabIndex={stop}
          aria-label={`cancel ${lineOf(node.agentId, 60)}…`}
          onClick={cancel}
        >
          cancel…
        </button>
      )}
    </>,
  ];
  return (
    <>
      {columns.map(([name, className], index) => (
        <span key={name} role="gridcell" class={className} data-title={name}>
          {cells[index]}
        </span>
      ))}
    </>
  );
}

function AgentCell(props: {
  readonly row: TreeRow;
  readonly runId: string;
  readonly isOpen: boolean;
  readonly level: number;
  readonly stop: number;
  readonly toggle: () => void;
}) {
  const { row, runId, isOpen, level, stop, toggle } = props;
  const { agentId, profile, roleName, moduleId, children } = row.node;
  const about = [roleName ?? profile, ...(moduleId === undefined ? [] : [moduleId])].map((text) => lineOf(text, 120)).join(' · ');
  return (
    <span class="tree-name" style={{ paddingInlineStart: `${(Math.min(level, 12) - 1) * 1.1}rem` }}>
      {children.length > 0 ? (
        // For the pointer; keys open and close the row itself.
        <button type="button" class="quiet twisty" tabIndex={-1} aria-hidden="true" onClick={toggle}>
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span class="twisty" />
      )}
      <span class="tree-who">
        <a href={runHref(runId, 'turns', { agent: agentId })} tabIndex={stop}>
          <Name text={agentId} />
        </a>
        <span class="faint" title={roleName === undefined ? undefined : lineOf(profile, 120)}>
          {about}
        </span>
      </span>
    </span>
  );
}
