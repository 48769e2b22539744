import { Table, Text } from '@mantine/core';
import { EventsLink, type EventsSearch } from '../events-link.js';
import { whole } from '../numbers.js';
import type { Clock } from '../zone.js';
import { bucketName, type Bucket, type Mark, marksIn, type Series, totalAt } from './series.js';
import { exactOf, type Unit } from './units.js';

interface Props {
  readonly label: string;
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly marks: readonly Mark[];
  readonly clock: Clock;
  readonly hasTotal: boolean;
  /** Returns the events behind a value. The total has no series. Undefined: there are none. */
  readonly eventsAt: (index: number, series: Series | undefined) => EventsSearch | undefined;
}

/** More rows would make the page slow. */
const MAX_ROWS = 300;

/** Shows the values of a chart as text: those of the last buckets when there are many. */
export function ChartTable({ label, buckets, series, unit, marks, clock, hasTotal, eventsAt }: Props) {
  const hasMarks = marks.length > 0;
  const first = Math.max(0, buckets.length - MAX_ROWS);
  return (
    <div className="chart-table" role="region" aria-label={label} tabIndex={0}>
      {first > 0 && (
        <Text size="xs" c="dimmed">
          The table shows the last {MAX_ROWS} of {whole(buckets.length)} rows. The CSV file has all.
        </Text>
      )}
      <Table stickyHeader verticalSpacing={4} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            {series.map((each, index) => (
              <Table.Th key={index} ta="end">
                {each.label}
              </Table.Th>
            ))}
            {hasTotal && <Table.Th ta="end">Total</Table.Th>}
            {hasMarks && <Table.Th>Marks</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.slice(first).map((bucket, row) => (
            <Table.Tr key={bucket.start}>
              <Table.Td>
                {bucketName(bucket, clock)}
                {bucket.gap !== undefined && (
                  <Text size="xs" c="dimmed">
                    {bucket.gap}
                  </Text>
                )}
              </Table.Td>
              {series.map((each, column) => (
                <Table.Td key={column} ta="end" className="numbers">
                  <Value search={eventsAt(first + row, each)}>{exactOf(unit, each.values[first + row] ?? null)}</Value>
                </Table.Td>
              ))}
              {hasTotal && (
                <Table.Td ta="end" className="numbers">
                  <Value search={eventsAt(first + row, undefined)}>{exactOf(unit, totalAt(series, first + row))}</Value>
                </Table.Td>
              )}
              {hasMarks && (
                <Table.Td>
                  {marksIn(marks, bucket)
                    .map(({ name }) => name)
                    .join(', ')}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface ValueProps {
  /** Undefined: there are no events behind the value. */
  readonly search: EventsSearch | undefined;
  readonly children: string;
}

function Value({ search, children }: ValueProps) {
  if (search === undefined) return children;
  return (
    <EventsLink inherit title="Show the events" search={search}>
      {children}
    </EventsLink>
  );
}
