import './entry-list.css';
import { useMediaQuery } from '@mantine/hooks';
import { memo, type ReactNode } from 'react';
import type { LogEntry } from '../../api/insight.js';
import { Moment } from '../../parts/moment.js';
import { whole } from '../../parts/numbers.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { VirtualRows } from '../../parts/virtual-rows.js';
import { SeverityBadge } from '../insight/event-list.js';
import { cellText, type Column, messageOf, propertyAt } from './columns.js';

interface Props {
  readonly rows: readonly LogEntry[];
  readonly columns: readonly Column[];
  readonly isWrapped: boolean;
  readonly isCompact: boolean;
  /** Whether times are shown with their year. */
  readonly hasYears: boolean;
  readonly shownId: string | undefined;
  readonly onShow: (row: LogEntry) => void;
  readonly onEnd: () => void;
}

const ROW_PX = { normal: 34, compact: 26 };
const BLOCK_PX = { normal: 86, compact: 66 };
const GAP_PX = 12;
const PADDING_PX = 24;
/** A time with its year needs more room. */
const YEAR_PX = 40;

/** Lists events as rows with columns, or as blocks on phones. A page renders often while its rows stay the same. */
export const EntryList = memo(function EntryList({
  rows,
  columns,
  isWrapped,
  isCompact,
  hasYears,
  shownId,
  onShow,
  onEnd,
}: Props) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const density = isCompact ? 'compact' : 'normal';
  const label = rows.length === 1 ? '1 event' : `${rows.length} events`;
  const shared = { rows, label, isWrapped, shownId, onShow, onEnd };
  if (isPhone) {
    return (
      <VirtualRows kind="entry" rowPx={BLOCK_PX[density]} columns="minmax(0, 1fr)" {...shared}>
        {(row) => <Block row={row} columns={columns} hasYears={hasYears} />}
      </VirtualRows>
    );
  }
  const widthOf = ({ id, width }: Column): number => width + (id === 'time' && hasYears ? YEAR_PX : 0);
  return (
    <VirtualRows
      kind="entry"
      rowPx={ROW_PX[density]}
      columns={columns
        .map(
          (column) =>
            `minmax(${widthOf(column)}px, ${column.grows === 0 ? `${widthOf(column)}px` : `${column.grows}fr`})`,
        )
        .join(' ')}
      minWidth={columns.reduce((sum, column) => sum + widthOf(column) + GAP_PX, PADDING_PX)}
      head={columns.map(({ id, label: name }) => (
        <span key={id} className={id === 'latency' ? 'end' : undefined} dir="auto">
          {name}
        </span>
      ))}
      {...shared}
    >
      {(row) => columns.map(({ id }) => <Cell key={id} id={id} row={row} hasYears={hasYears} />)}
    </VirtualRows>
  );
});

interface CellProps {
  readonly id: string;
  readonly row: LogEntry;
  readonly hasYears: boolean;
}

/** A list has hundreds of cells, so they are plain elements without components of the library. */
function Cell({ id, row, hasYears }: CellProps): ReactNode {
  const { event, log } = row;
  switch (id) {
    case 'time':
      return (
        <span className="dimmed">
          <Moment at={event.timestamp} isShort={!hasYears} />
        </span>
      );
    case 'severity':
      return <span>{event.severity !== null && <SeverityBadge severity={event.severity} />}</span>;
    case 'method':
      return <span className="strong">{log?.method ?? '–'}</span>;
    case 'path':
      return (
        <span className="monospace" dir="auto">
          {log?.endpoint ?? '–'}
        </span>
      );
    case 'http':
      return <span>{log === undefined ? '–' : <StatusBadge status={log.status} />}</span>;
    case 'latency':
      return <span className="end">{log === undefined ? '–' : `${whole(log.latency_ms)} ms`}</span>;
    case 'event':
      return (
        <span className="strong" dir="auto">
          {event.event}
        </span>
      );
    case 'message':
      return (
        <span className="dimmed" dir="auto">
          {messageOf(row)}
        </span>
      );
    case 'key':
      return <span>{cellText(log?.api_key_prefix)}</span>;
    case 'source':
    case 'status':
    case 'environment':
    case 'id':
      return <span dir="auto">{cellText(event[id])}</span>;
    default:
      return <span dir="auto">{cellText(propertyAt(event.properties, id))}</span>;
  }
}

interface BlockProps {
  readonly row: LogEntry;
  readonly columns: readonly Column[];
  readonly hasYears: boolean;
}

const IN_HEAD = ['time', 'latency', 'http', 'severity'];
const IN_TITLE = ['method', 'path', 'event'];

function Block({ row, columns, hasYears }: BlockProps) {
  const cellsOf = (ids: readonly string[]) =>
    ids.flatMap((id) =>
      columns.some((column) => column.id === id) ? [<Cell key={id} id={id} row={row} hasYears={hasYears} />] : [],
    );
  const rest = columns.filter(({ id }) => !IN_HEAD.includes(id) && !IN_TITLE.includes(id));
  return (
    <span className="entry-block">
      <span className="entry-line">{cellsOf(IN_HEAD)}</span>
      <span className="entry-line">{cellsOf(IN_TITLE)}</span>
      <span className="entry-line">
        {rest.map(({ id }) => (
          <Cell key={id} id={id} row={row} hasYears={hasYears} />
        ))}
      </span>
    </span>
  );
}
