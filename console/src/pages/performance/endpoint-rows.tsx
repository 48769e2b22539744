import { Button, Progress, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { endpoints } from '../../api/insight.js';
import { offsetOf } from '../../api/pages.js';
import { useAnswer } from '../../parts/answers.js';
import { IS_ERROR } from '../../parts/events-link.js';
import { milliseconds, share } from '../../parts/numbers.js';
import { Paged } from '../../parts/paged.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { SendAnEvent } from '../insight/send-an-event.js';
import { conditionOfOne, listedOf, type PartProps } from './part-props.js';
import { Count } from './count.js';
import { SubjectLink } from './subject-link.js';

type Order = Schemas['EndpointOrder'];

/** Lists routes or endpoints. A click on a column's name sorts by it, largest first. */
export function EndpointRows({ projectId, window, search, set, isBare = false }: PartProps) {
  const { by = 'route', sort = 'requests', events, page } = search;
  const query = useAnswer(
    endpoints(projectId, window, listedOf(search), {
      sort,
      group_by: by,
      offset: offsetOf(page),
    }),
  );
  const subject = by === 'route' ? 'Route' : 'Endpoint';
  const counted = events === 'other' ? 'Events' : 'Requests';
  const columns: readonly { readonly name: string; readonly order?: Order }[] = [
    { name: subject },
    { name: counted, order: 'requests' },
    { name: 'Errors', order: 'errors' },
    { name: 'Error rate', order: 'error_rate' },
    { name: 'p50' },
    { name: 'p95', order: 'p95' },
    { name: 'p99' },
    { name: 'Share of time', order: 'total_time' },
  ];
  return (
    <Paged
      query={query}
      page={page}
      onPage={(next) => set({ page: next })}
      empty={<Nothing search={search} set={set} isBare={isBare} />}
    >
      {(items) => (
        <Rows
          label={by === 'route' ? 'Routes' : 'Endpoints'}
          minWidth={860}
          columns={columns.map(({ name, order }) => ({
            name,
            ...(order !== undefined && {
              isSorted: order === sort,
              onSort: () => set({ sort: order === 'requests' ? undefined : order, page: undefined }),
            }),
          }))}
        >
          {items.map((item) => (
            <Table.Tr key={`${item.method} ${item.endpoint}`}>
              <Cell column={subject} style={{ overflowWrap: 'anywhere' }}>
                <SubjectLink search={search} by={by} method={item.method} name={item.endpoint} />
              </Cell>
              <Cell column={counted} className="numbers">
                <Count where={conditionOfOne(search, by, item)}>{item.requests}</Count>
              </Cell>
              <Cell column="Errors" className="numbers">
                <Count where={conditionOfOne(search, by, item, IS_ERROR)}>{item.errors}</Count>
              </Cell>
              <Cell column="Error rate" className="numbers">
                {share(item.error_rate)}
              </Cell>
              <Cell column="p50" className="numbers">
                {milliseconds(item.p50_ms)}
              </Cell>
              <Cell column="p95" className="numbers">
                {milliseconds(item.p95_ms)}
              </Cell>
              <Cell column="p99" className="numbers">
                {milliseconds(item.p99_ms)}
              </Cell>
              <Cell column="Share of time" miw={110}>
                <Text size="xs" className="numbers">
                  {share(item.total_time_share)}
                </Text>
                <Progress value={item.total_time_share * 100} size="sm" color="sea.5" aria-label="Share of time" />
              </Cell>
            </Table.Tr>
          ))}
        </Rows>
      )}
    </Paged>
  );
}

function Nothing({ search: { q, where, events }, set, isBare }: Pick<PartProps, 'search' | 'set' | 'isBare'>) {
  if (q !== undefined || where !== undefined) {
    return (
      <Empty title="Nothing matches" about="Another search, another filter or a longer time may show some.">
        {isBare !== true && (
          <Button variant="default" onClick={() => set({ q: undefined, where: undefined, page: undefined })}>
            Clear search and filter
          </Button>
        )}
      </Empty>
    );
  }
  if (events === 'other') {
    return <Empty title="No other events in this time" about="Every event of this time names a method." />;
  }
  return (
    <Empty
      title="No requests in this time"
      about="Events with a method, a path, a status and a latency are requests. Events without a method are listed under “Other events”."
    >
      <SendAnEvent />
    </Empty>
  );
}
